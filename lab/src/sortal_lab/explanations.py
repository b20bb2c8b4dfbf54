"""Reasons for published figures outside our intervals, and how sure each is."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SHOWN, CONTRADICTED, LIKELY, UNKNOWN = "shown", "contradicted", "likely", "unknown"
#: how sure a reason is, in words
STATUSES = {
    SHOWN: "shown",
    CONTRADICTED: "fits a reading that the text excludes",
    LIKELY: "likely",
    UNKNOWN: "unknown",
}
#: what a reason can suppose of a cell, with the cells of which it is true
SUPPOSED = {"classifier": r"Informativeness|\binf-|Clarity"}


@dataclass(frozen=True)
class Reason:
    """Why a published figure is outside our interval.

    Attributes
    ----------
    name : str
        The experiment.
    quantity : str
        Pattern of its figures.
    status : {"shown", "contradicted", "likely", "unknown"}
        Shown by a stored result; shown, but contradicted by the text of the source or by another
        of its figures; supported from outside; or not known.
    run : str
        The stored result that has the published figure; empty for the last two.
    proof : str
        What stands in place of ``quantity`` in the row of that result whose interval has the
        published figure; empty where figures are words.
    supposes : str
        A key of :data:`SUPPOSED`, or empty: the reason belongs to no other figures.
    against : str
        What the source has against a contradicted reading, with the section, table or figure.
    counterexample : str
        A stored result and its row, ``"RESULT: ROW"``, where the same reading does not have the
        published figure; empty where the text alone excludes the reading.
    why : str
        The reason, or what is known not to be one.
    """

    name: str
    quantity: str
    status: str
    run: str = ""
    proof: str = ""
    supposes: str = ""
    against: str = ""
    counterexample: str = ""
    why: str = ""

    def applies(self, name: str, quantity: str) -> bool:
        """Whether it can be the reason for this figure."""
        supposed = SUPPOSED[self.supposes] if self.supposes else ""
        return (
            name == self.name
            and re.search(self.quantity, quantity) is not None
            and re.search(supposed, quantity) is not None
        )

    def row(self, quantity: str) -> str:
        """Row of the stored result that shows it for this figure.

        >>> Reason("table", "^RB-I2", "shown", "table", "RB-I2 on idf").row("RB-I2, NMI")
        'RB-I2 on idf, NMI'
        """
        return re.sub(self.quantity, self.proof, quantity, count=1)

    def __str__(self) -> str:
        words = STATUSES[self.status]
        said = words[0].upper() + words[1:] + (f" ({self.run})" if self.run else "")
        against = f" Against it: {self.against}" if self.against else ""
        return f"{said}: {self.why}{against}" if self.why else f"{said}."


def reason(name: str, quantity: str) -> Reason:
    """First reason that applies to a figure of an experiment; unknown without one."""
    matching = (one for one in reasons() if one.applies(name, quantity))
    return next(matching, Reason(name, re.escape(quantity), UNKNOWN))


def explanations(name: str, quantities: Iterable[str]) -> str:
    """Reasons for several figures, each once."""
    return " ".join(dict.fromkeys(str(reason(name, quantity)) for quantity in quantities))


def statuses(name: str, quantities: Iterable[str]) -> Counter[str]:
    """Number of figures by the status of their reason."""
    return Counter(reason(name, quantity).status for quantity in quantities)


@cache
def reasons() -> tuple[Reason, ...]:
    """All reasons; the first that applies counts."""
    text = files(__package__).joinpath("explanations.csv").read_text("utf-8")
    return tuple(Reason(**row) for row in csv.DictReader(text.splitlines()))

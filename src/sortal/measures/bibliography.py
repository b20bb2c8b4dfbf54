"""The works that sortal implements, and references to them.

Records, documentation, docstrings and ``sortal measures`` cite from here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files

from sortal.runtime.validation import unknown_name


@dataclass(frozen=True)
class Work:
    """A paper, a book, a thesis or a report.

    Attributes
    ----------
    authors : str
        ``"Surname, Initials"``, separated by semicolons.
    year : int
    title : str
    venue : str
        Where it appeared.
    doi : str
    """

    authors: str
    year: int
    title: str
    venue: str = ""
    doi: str = ""

    @property
    def short(self) -> str:
        """Surnames and year, for a citation in the text."""
        names = [author.partition(",")[0].strip() for author in self.authors.split(";")]
        if len(names) > 3:
            return f"{names[0]} et al. {self.year}"
        return f"{', '.join(names[:-1])}{' & ' * (len(names) > 1)}{names[-1]} {self.year}"

    def __str__(self) -> str:
        authors = self.authors.replace(";", ",")
        text = f"{authors} ({self.year}). {self.title}. {self.venue}"
        text = text.rstrip(". ") + "."
        return f"{text} doi:{self.doi}" if self.doi else text


@dataclass(frozen=True)
class Reference:
    """A place in a work.

    Attributes
    ----------
    paper : str or Work
        A key of :data:`BIBLIOGRAPHY`, or a work that is not in it.
    equation : str
        Number of the equation in that work, or another place: ``"§6.2"``, ``"p. 183"``.

    Examples
    --------
    >>> from sortal.measures.bibliography import Reference
    >>> print(Reference("rousseeuw1987"))
    Rousseeuw 1987
    >>> print(Reference("whissell2012", "3.12"))
    Whissell 2012, eq. 3.12
    """

    paper: str | Work
    equation: str = ""

    @classmethod
    def of(cls, reference: Reference | str) -> Reference:
        """A reference, also from text: the key of a work, then a place in it."""
        return reference if isinstance(reference, Reference) else cls(*reference.split(" ", 1))

    def __post_init__(self) -> None:
        if isinstance(self.paper, str) and self.paper not in BIBLIOGRAPHY:
            raise unknown_name(self.paper, BIBLIOGRAPHY, "work")

    @property
    def work(self) -> Work:
        """The cited work."""
        return BIBLIOGRAPHY[self.paper] if isinstance(self.paper, str) else self.paper

    @property
    def place(self) -> str:
        """Place in the work: an equation, several equations, a section, or nothing."""
        if not self.equation[:1].isdigit():
            return self.equation
        several = re.search("[–,]| and ", self.equation)
        return f"eq{'s' * bool(several)}. {self.equation}"

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.work.short, self.place)))

    @property
    def full(self) -> str:
        """The entry of a list of references."""
        return f"{self.work}{f' Here: {self.place}.' * bool(self.place)}"


_FILE = files("sortal.measures") / "bibliography.json"
#: key -> work; a JSON file, a line for each
BIBLIOGRAPHY = {
    key: Work(**work) for key, work in json.loads(_FILE.read_text(encoding="utf-8")).items()
}

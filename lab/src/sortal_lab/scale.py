"""Scales of the experiments: as published, or a quick look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scale = Literal["quick", "paper"]


@dataclass(frozen=True)
class Quick:
    """The quick look at some experiments.

    Attributes
    ----------
    samples : int
        Given to the experiment as ``samples``.
    leaves_out : str
        How it is smaller than the full experiment.
    shared : str
        The name under which these experiments share finished work; empty if they do not.
    sets : tuple of str
        The only data sets that are asked for; all if empty.
    """

    samples: int
    leaves_out: str = ""
    shared: str = ""
    sets: tuple[str, ...] = ()


_BANERJEE = Quick(
    1, "one start instead of 10, one draw of the documents instead of 20, seven of 19 numbers "
    "of clusters, without the collection of 20,000 messages", "banerjee2004",
)  # fmt: skip
_CHOICE = (
    "breast_w", "ecoli", "glass", "ionosphere", "iris", "seeds", "wine", "zoo", "fcps_hepta",
    "fcps_lsun", "graves_dense", "wut_x1", "wut_x2", "wut_z1", "oh0", "tr23",
)  # fmt: skip
_STEADINESS = ("iris", "zoo", "wut_x1")
_GUARANTEE = (
    "breast_w", "dermatology", "seeds", "wdbc", "wine", "sipu_compound", "fcps_chainlink",
    "wut_smile",
)  # fmt: skip
_CHAPTER_7 = Quick(
    0, "one sample of 500 e-mails of each collection instead of 20 of 1,000", "chapter7"
)  # fmt: skip
#: quick anyway; a space ends the name
WHOLE = (
    "manning2008", "whissell2012-equation", "whissell2012-figure5.1", "whissell2012-figure6",
    "whissell2012-table5.1 ", "whissell2012-table6.3",
)  # fmt: skip
#: by the beginning of the name, the longest first
QUICK: dict[str, Quick] = {
    "answers": Quick(1, "one data set of every eighth kind instead of two of each", sets=("iris",)),
    "abul2003": Quick(1, "two resamples instead of 20, without pendigits and isolet"),
    "conformance": Quick(2, "two random clusterings instead of 12"),
    "constants": Quick(1, "one generated task instead of 60"),
    "column-weights": Quick(1, "one table of each kind instead of 10"),
    "rubbish-columns": Quick(1, "one draw of the columns instead of 3"),
    "steadiness": Quick(
        1, "one draw of each change instead of two, three small shared sets", sets=_STEADINESS
    ),
    "alternatives": Quick(1, "one data set of each design instead of 30"),
    "banerjee2004-batch": _BANERJEE,
    "banerjee2004-figure": _BANERJEE,
    "banerjee2004-words": _BANERJEE,
    "banerjee2004-mixtures": Quick(1, "one start, on one draw of the documents, instead of 10"),
    "banerjee2004-prior": Quick(
        1, "one start instead of three, one draw of the split instead of 20, two collections "
        "instead of five",
    ),
    "bound-coverage": Quick(
        20, "20 splits instead of 10,000, 20 draws of each design instead of 1,000"
    ),
    "choice": Quick(
        0, "16 small data sets instead of all", "choice", sets=_CHOICE
    ),
    "choice-ablations": Quick(2, "two shards of the tasks, few trees"),
    "choice-expected": Quick(2, "two shards of the tasks, few trees"),
    "choice-generated": Quick(2, "two shards of the tasks, few trees"),
    "guarantee-tightness": Quick(
        1, "eight of 16 sets, one draw of the labels instead of 30", "guarantee", sets=_GUARANTEE
    ),
    "guarantee-stopping": Quick(
        1, "one draw of the labels instead of 30", "guarantee", sets=(*_GUARANTEE, "ecoli")
    ),
    "guarantee-outlook": Quick(4, "four draws instead of 400"),
    "guarantee-paths": Quick(3, "three draws of each design instead of 1,000"),
    "guarantee-files": Quick(3, "three draws of each design instead of 1,000"),
    "guarantee-draws": Quick(10, "ten draws instead of 100", "guarantee"),
    "inference-levels": Quick(0, "one data set of 60 objects of each design, no sweeps"),
    "clarity-intervals": Quick(50, "50 rounds instead of 500"),
    "internal-chance": Quick(1, "one data set instead of six"),
    "large-tables": Quick(4, "a table of 10,000 rows instead of three up to a hundred million"),
    "map-of-measures": Quick(
        0, "16 small data sets instead of all, no sub-tasks", "choice", sets=_CHOICE
    ),
    "measure-properties": Quick(3, "three measures instead of the catalogue"),
    "measure-times": Quick(2, "two internal and two external measures instead of all"),
    "number-of-clusters": Quick(3, "three real tables and three benchmark sets instead of 40 sets"),
    "peer-times": Quick(1000, "1,000 objects instead of 4,000"),
    "splits": Quick(2, "two trees of three levels and two others instead of 10 and 30"),
    "tables-with-classes": Quick(2, "two tables instead of 22"),
    "structure": Quick(
        1, "one data set of each kind with at most 400 objects instead of ten with up to 2,000"
    ),
    "whissell2012-table4.1": Quick(3, "three internal and three external measures instead of 26"),
    "whissell2012-figure5": Quick(1, "eight of 101 values of k1, three of 29 numbers of clusters"),
    "whissell2012-table5": Quick(
        0, "k = 16 alone instead of 2..30, one start instead of 20, tr31 and tr45 instead of "
        "seven collections", "chapter5",
    ),
    "whissell2012-chapter5-fresh": Quick(
        0, "k = 16 alone instead of 2..30, one start instead of 20, two collections of either "
        "kind instead of seven", "chapter5",
    ),
    "whissell2012-lemmas": Quick(2, "two of the claims"),
    "whissell2012-table6": Quick(
        0, "one sample of three data sets instead of 50 of five: no errors", "chapter6"
    ),
    "whissell2012-chapter5-readings": Quick(
        1, "one start of each bisection instead of 10, the other readings on two collections, "
        "without spectral clustering and PCA-K",
    ),
    "whissell2012-chapter6-readings": Quick(
        1, "one sample of each synthetic data set instead of 50, four of each real one instead of "
        "20", "chapter6"
    ),
    "whissell2012-chapter6-ties": Quick(
        1, "one sample of each data set instead of 50", "chapter6"
    ),
    "whissell2012-chapter6-weka": Quick(
        1, "one sample of each data set instead of 3 or 10, without the support vector machine",
        "chapter6",
    ),
    "whissell2012-table6.4": Quick(
        1, "one sample of each data set instead of 20: no errors", "chapter6"
    ),
    "whissell2012-section6.3.5": Quick(
        1, "one sample of each data set instead of 50", "chapter6"
    ),
    "whissell2012-table7": _CHAPTER_7,
    "whissell2012-figure7": _CHAPTER_7,
}  # fmt: skip


def quick_of(name: str) -> Quick:
    """The quick look at an experiment; one sample for those of other packages."""
    if f"{name} ".startswith(WHOLE):
        return Quick(1)
    prefixes = [prefix for prefix in QUICK if name.startswith(prefix)]
    return QUICK[max(prefixes, key=len)] if prefixes else Quick(1, "one sample")

"""The eleven collections of banerjee2004, made of the texts that are public now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal.text import TermWeighter, TextVectorizer
from sortal_lab.data import records, term_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIFFERENT = ("alt.atheism", "rec.sport.baseball", "sci.space")
SIMILAR = ("talk.politics.guns", "talk.politics.mideast", "talk.politics.misc")
SAME = ("comp.graphics", "comp.os.ms-windows.misc", "comp.windows.x")

#: of each collection the groups (None: all) and how many documents of each (None: all)
NEWSGROUPS: dict[str, tuple[tuple[str, ...] | None, int | None]] = {
    "cmu-different-1000": (DIFFERENT, None),
    "cmu-similar-1000": (SIMILAR, None),
    "cmu-same-1000": (SAME, None),
    "cmu-different-100": (DIFFERENT, 100),
    "cmu-similar-100": (SIMILAR, 100),
    "cmu-same-100": (SAME, 100),
    "cmu-newsgroup-clean-1000": (None, None),
    "cmu-newsgroup-clean-100": (None, 100),
}
COLLECTIONS = ("classic2", "classic3", *NEWSGROUPS, "yahoo")


@dataclass(frozen=True)
class Preprocessing:
    """How texts become terms; the paper does not state it."""

    #: whether the subject of a message is part of it
    subjects: bool
    stemmer: str | None
    #: documents that a term is in, as a number or a share of all
    fewest: float
    most: float
    weight: Literal["tf-idf", "tf"]

    def within(self, having: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
        """Which terms have so many of n documents."""
        fewest = self.fewest * (n if self.fewest < 1 else 1)
        return (having >= fewest) & (having <= self.most * n)


USUAL = Preprocessing(False, "porter", 3, 0.5, "tf-idf")
#: the one that fits five figures of SPKMeans on two collections, of those that were tried
PRUNED = Preprocessing(True, None, 0.002, 0.15, "tf")


@dataclass(frozen=True)
class Collection:
    """Documents as weighted terms and as counts, with their classes."""

    name: str
    X: Any
    counts: Any
    truth: NDArray[np.int64]


def sampled(name: str) -> bool:
    """Whether the collection is a random sample of a larger one."""
    return NEWSGROUPS.get(name, (None, None))[1] is not None


def collection(name: str, rng: np.random.Generator, how: Preprocessing = USUAL) -> Collection:
    """A collection by name; ``rng`` draws the documents of sampled collections."""
    if name == "yahoo":
        counted, groups = _yahoo(how)
    else:
        if name in NEWSGROUPS:
            documents, groups = _newsgroups(name, rng, how.subjects)
        else:
            documents, groups = _classic(name)
        counted = TextVectorizer(
            "tf", stemmer=how.stemmer, min_df=how.fewest, max_df=how.most, norm=None
        ).fit_transform(documents)
    classes = np.unique(groups, return_inverse=True)[1]
    return Collection(name, TermWeighter(how.weight).fit_transform(counted), counted, classes)


def _classic(name: str) -> tuple[list[str], list[str]]:
    """Texts and groups of the SMART collections."""
    wanted = ("cran", "cisi", "med") if name == "classic3" else ("cran", "cisi")
    kept = [r for r in texts("classic4_texts") if r["group"] in wanted]
    return [f"{r['title']}\n{r['text']}" for r in kept], [r["group"] for r in kept]


def _newsgroups(name: str, rng: np.random.Generator, subjects: bool) -> tuple[list[str], list[str]]:
    """Texts and groups of a subset of 20 Newsgroups."""
    groups, size = NEWSGROUPS[name]
    messages = texts("20newsgroups")
    of_record = np.array([record["group"] for record in messages])
    chosen = []
    for group in sorted(set(of_record) if groups is None else groups):
        members = np.flatnonzero(of_record == group)
        chosen.append(
            members if size is None else np.sort(rng.choice(members, size, replace=False))
        )
    kept = np.concatenate(chosen)
    documents = []
    for i in kept:
        # headers name the group
        headers, _, body = messages[i]["text"].partition("\n\n")
        lines = (line.partition(": ") for line in headers.split("\n") if subjects)
        documents.append("\n".join([*(told for key, _, told in lines if key == "Subject"), body]))
    return documents, [str(of_record[i]) for i in kept]


def _yahoo(how: Preprocessing) -> tuple[Any, list[str]]:
    """Term counts and groups of the Yahoo collection."""
    counts, names = term_counts("k1a")
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    return counts[:, how.within(having, counts.shape[0])], names.astype(str).tolist()


@lru_cache(maxsize=1)
def texts(name: str) -> list[dict[str, str]]:
    """The documents of a collection, read once."""
    return records(name)

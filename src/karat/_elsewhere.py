"""Names that people know from other packages or from before, and what they are here."""

from __future__ import annotations

import sys
from typing import Any

#: name in scikit-learn -> (name here, what differs)
SCIKIT_LEARN = {
    "adjusted_rand_score": ("adjusted_rand_index", ""),
    "adjusted_mutual_info_score": (
        "adjusted_mutual_information",
        'the normaliser is "max" here and "arithmetic" there',
    ),
    "normalized_mutual_info_score": (
        "normalized_mutual_information",
        'the normaliser is "geometric" here and "arithmetic" there',
    ),
    "mutual_info_score": ("mutual_information", ""),
    "rand_score": ("rand_index", ""),
    "fowlkes_mallows_score": ("fowlkes_mallows_index", ""),
    "homogeneity_score": ("homogeneity", ""),
    "completeness_score": ("completeness", ""),
    "v_measure_score": ("v_measure", ""),
    "homogeneity_completeness_v_measure": ("homogeneity, completeness, v_measure", ""),
    "pair_confusion_matrix": (
        "pair_counts",
        "unordered pairs here; the matrix there counts each pair twice",
    ),
    "contingency_matrix": ("ContingencyTable", ""),
    "silhouette_score": (
        "silhouette",
        "the label -1 is an error here unless noise= is given, and a cluster there",
    ),
    "calinski_harabasz_score": (
        "calinski_harabasz_index",
        "the label -1 is an error here unless noise= is given, and a cluster there",
    ),
    "davies_bouldin_score": (
        "davies_bouldin_index",
        "the label -1 is an error here unless noise= is given, and a cluster there",
    ),
}

_INTERNAL = (
    "centroids chance density gap graph margins models nearest pairs ranks scatter separation "
    "silhouette soft"
)
_EXTERNAL = "chance dendrogram homogeneity information matching pairs soft table"
#: module of before -> where its contents are now
MOVED = {
    **{f"karat.measures.internal_{n}": f"karat.measures.internal.{n}" for n in _INTERNAL.split()},
    **{f"karat.measures.external_{n}": f"karat.measures.external.{n}" for n in _EXTERNAL.split()},
    "karat.measures.internal_common": "karat.measures.internal.batch",
    "karat.measures.internal_relative": "karat.measures.internal.sweeps",
    "karat.measures.internal_spread": "karat.measures.internal.centroids",
    "karat.measures.external_batch": "karat.measures.external.agreement",
    "karat.measures.clarity": "karat.measures.internal.clarity",
    "karat.measures.statistics": "karat.measures.passes.statistics",
}


def hint(name: str) -> str:
    """What a public name of scikit-learn is called here, or nothing."""
    if name not in SCIKIT_LEARN:
        return ""
    ours, note = SCIKIT_LEARN[name]
    names = " and ".join(f"karat.{one}" for one in ours.split(", "))
    return f"; scikit-learn's {name} is {names}{f' ({note})' * bool(note)}"


class MovedFinder:
    """The last finder of imports: says where a module went."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Raise for a module that is elsewhere now; find nothing."""
        if name in MOVED:
            raise ImportError(f"{name} is {MOVED[name]} now", name=name)


def install() -> None:
    """Let imports of modules that moved say where they are."""
    if MovedFinder not in sys.meta_path:
        sys.meta_path.append(MovedFinder)

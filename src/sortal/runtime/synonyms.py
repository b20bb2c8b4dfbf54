"""Names from scikit-learn, and their counterparts in sortal."""

from __future__ import annotations

_NOISE_NOTE = "the label -1 is an error here unless noise= is given, and a cluster there"
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
    "silhouette_score": ("silhouette", _NOISE_NOTE),
    "calinski_harabasz_score": ("calinski_harabasz_index", _NOISE_NOTE),
    "davies_bouldin_score": ("davies_bouldin_index", _NOISE_NOTE),
}


def hint(name: str) -> str:
    """A note on sortal's name for a public function of scikit-learn, empty for any other name."""
    if name not in SCIKIT_LEARN:
        return ""
    ours, note = SCIKIT_LEARN[name]
    names = " and ".join(f"sortal.{measure}" for measure in ours.split(", "))
    return f"; scikit-learn's {name} is {names}{f' ({note})' * bool(note)}"

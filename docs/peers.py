"""The names that other packages give to measures, and what karat calls them.

The page "Names in other packages" shows these tables. Each call is one of karat's public functions
on the gold standard ``truth``, on data ``X``, a clustering ``labels``, or a sweep of clusterings
``labelings``. What the other packages compute was read in their documentation and source.
"""

from __future__ import annotations

import inspect
from typing import NamedTuple

import karat
from karat.runtime.synonyms import SCIKIT_LEARN as RENAMED

#: why a criterion is not there
_SELDOM = "seldom reported"


class Peer(NamedTuple):
    """A name of another package.

    Attributes
    ----------
    name : str
        In the other package.
    call : str
        In karat; empty where it is not there.
    note : str
        Where the values differ, or why it is not there.
    """

    name: str
    call: str
    note: str = ""


def _dunn(separation: str, diameter: str) -> str:
    return f"dunn_index(X, labels, separation={separation!r}, diameter={diameter!r})"


_SEPARATIONS = ("single", "complete", "average", "centroid", "average-centroid")
_DIAMETERS = ("complete", "average", "centroid")

CLUSTER_CRIT = (
    Peer("Ball_Hall", "ball_hall_index(X, labels)"),
    Peer("Banfeld_Raftery", "banfield_raftery_index(X, labels)"),
    Peer("C_index", "c_index(X, labels)"),
    Peer("Calinski_Harabasz", "calinski_harabasz_index(X, labels)"),
    Peer("Davies_Bouldin", "davies_bouldin_index(X, labels)"),
    Peer("Det_Ratio", "", _SELDOM),
    Peer("Dunn", "dunn_index(X, labels)"),
    Peer(
        "Gamma",
        "baker_hubert_gamma(X, labels)",
        "prints −22.5 for iris; the value is 0.8795",
    ),
    Peer("G_plus", "g_plus_index(X, labels)", "its manual swaps s⁺ and s⁻"),
    *(
        Peer(
            f"GDI{s}{d}",
            _dunn(separation, diameter),
            "there δ₅ is of distances to the own centroid; Bezdek & Pal's is to the other's"
            if separation == "average-centroid"
            else "",
        )
        for s, separation in enumerate(_SEPARATIONS, 1)
        for d, diameter in enumerate(_DIAMETERS, 1)
    ),
    Peer("Ksq_DetW", "", _SELDOM),
    Peer("Log_Det_Ratio", "log_determinant_ratio(X, labels)"),
    Peer("Log_SS_Ratio", "", _SELDOM),
    Peer("McClain_Rao", "mcclain_rao_index(X, labels)"),
    Peer("PBM", "pbm_index(X, labels)"),
    Peer(
        "Point_Biserial",
        "point_biserial_index(X, labels)",
        "there times minus the standard deviation of the distances",
    ),
    Peer("Ratkowsky_Lance", "ratkowsky_lance_index(X, labels)"),
    Peer("Ray_Turi", "ray_turi_index(X, labels)"),
    Peer("S_Dbw", "s_dbw_index(X, labels)", "there the pairs of clusters are added up"),
    Peer("Scott_Symons", "", _SELDOM),
    Peer("SD_Dis", "sd_separation(X, labels)"),
    Peer("SD_Scat", "sd_scattering(X, labels)"),
    Peer("Silhouette", "silhouette_by_cluster(X, labels).mean()", "a mean over the clusters"),
    Peer("Tau", "kendall_tau_index(X, labels)", "its manual swaps s⁺ and s⁻"),
    Peer("Trace_W", "within_sum_of_squares(X, labels)"),
    Peer("Trace_WiB", "", _SELDOM),
    Peer("Wemmert_Gancarski", "wemmert_gancarski_index(X, labels)"),
    Peer("Xie_Beni", "xie_beni_index(X, labels, separation='single')"),
)

NB_CLUST = (
    Peer("kl", "krzanowski_lai_index(X, labelings)"),
    Peer("ch", "calinski_harabasz_index(X, labels)"),
    Peer("hartigan", "hartigan_index(X, labelings)", "there times n − k, not n − k − 1"),
    Peer("ccc", "cubic_clustering_criterion(X, labels)"),
    Peer("scott", "log_determinant_ratio(X, labels)"),
    Peer("marriot", "", _SELDOM),
    Peer(
        "trcovw", "pooled_variance(X, labels)", "there the trace of the covariance of W's columns"
    ),
    Peer("tracew", "within_sum_of_squares(X, labels)"),
    Peer("friedman", "", _SELDOM),
    Peer("rubin", "", _SELDOM),
    Peer("cindex", "c_index(X, labels)", "there ∣P_w∣ times the extreme distances within"),
    Peer("db", "davies_bouldin_index(X, labels, q=2)"),
    Peer("silhouette", "silhouette(X, labels)"),
    Peer("duda", "", _SELDOM),
    Peer("pseudot2", "", _SELDOM),
    Peer("beale", "", _SELDOM),
    Peer("ratkowsky", "ratkowsky_lance_index(X, labels)"),
    Peer("ball", "ball_hall_index(X, labels)", "there tr W/k"),
    Peer("ptbiserial", "point_biserial_index(X, labels)"),
    Peer("gap", "gap_statistic(X)", "of a clusterer, not of a clustering"),
    Peer("frey", "", _SELDOM),
    Peer("mcclain", "mcclain_rao_index(X, labels)", "there the means over ∣P_w∣ and ∣P_b∣ again"),
    Peer("gamma", "baker_hubert_gamma(X, labels)"),
    Peer("gplus", "g_plus_index(X, labels)"),
    Peer("tau", "kendall_tau_index(X, labels)"),
    Peer("dunn", "dunn_index(X, labels)"),
    Peer("hubert", "", _SELDOM),
    Peer("sdindex", "", _SELDOM),
    Peer("dindex", "", _SELDOM),
    Peer("sdbw", "s_dbw_index(X, labels)"),
)

FPC = (
    Peer("average.between", "average_between_cluster_scatter(X, labels)"),
    Peer(
        "average.within",
        "average_within_cluster_scatter(X, labels)",
        "newer versions give each object, not each pair, the same weight",
    ),
    Peer("within.cluster.ss", "within_sum_of_squares(X, labels)"),
    Peer("clus.avg.silwidths", "silhouette_by_cluster(X, labels)"),
    Peer("avg.silwidth", "silhouette(X, labels)"),
    Peer("g2", "baker_hubert_gamma(X, labels)"),
    Peer("g3", "c_index(X, labels)"),
    Peer("pearsongamma", "point_biserial_index(X, labels)"),
    Peer("dunn", "dunn_index(X, labels)"),
    Peer("dunn2", _dunn("average", "average")),
    Peer("entropy", "", "of the sizes alone, so it judges no clustering"),
    Peer("wb.ratio", "mcclain_rao_index(X, labels)", "as for average.within"),
    Peer("ch", "calinski_harabasz_index(X, labels)"),
    Peer("cwidegap", "", _SELDOM),
    Peer("widestgap", "widest_within_gap(X, labels)"),
    Peer("sindex", "separation_index(X, labels)"),
    Peer("corrected.rand", "adjusted_rand_index(labels, labels)"),
    Peer("vi", "variation_of_information(labels, labels)"),
    Peer("dudahart2", "", _SELDOM),
    Peer(
        "cvnn",
        "cvnn_index(X, labelings, n_neighbors=5, compactness='pooled')",
        "the paper's compactness is the default here",
    ),
    Peer("cvnnd", "", _SELDOM),
    Peer("dindex", "", _SELDOM),
    Peer("denscut", "", _SELDOM),
    Peer("highdgap", "", _SELDOM),
    Peer("cdbw", "", _SELDOM),
)


def _call(name: str, options: str = "") -> str:
    first = next(iter(inspect.signature(getattr(karat, name)).parameters))
    return f"{name}({'X' if first == 'X' else 'truth'}, labels{options})"


_ARITHMETIC = ", normalizer='arithmetic'"
SCIKIT_LEARN = tuple(
    Peer(
        name,
        ", ".join(
            _call(one, _ARITHMETIC if "arithmetic" in note else "") for one in ours.split(", ")
        ),
        note,
    )
    for name, (ours, note) in RENAMED.items()
) + (Peer("silhouette_samples", "silhouette_samples(X, labels)"),)

_F = "pair_f_measure(truth, labels)"
_FROM_PAIRS = "made of the four counts of pair_counts(truth, labels)"
CLUSIM = (
    Peer("jaccard_index", "jaccard_index(truth, labels)"),
    Peer("rand_index", "rand_index(truth, labels)"),
    Peer(
        "adjrand_index",
        "adjusted_rand_index(truth, labels)",
        "the default random model, 'perm'; the five others of clusim are not there",
    ),
    Peer("fowlkes_mallows_index", "fowlkes_mallows_index(truth, labels)"),
    *(Peer(name, _F) for name in ("fmeasure", "czekanowski_index", "dice_index")),
    Peer("sorensen_index", _F),
    Peer("rogers_tanimoto_index", "", _FROM_PAIRS),
    Peer("southwood_index", "", _FROM_PAIRS),
    Peer("pearson_correlation", "", f"{_FROM_PAIRS}; there without the square root"),
    Peer(
        "purity_index",
        "purity(truth, labels)",
        "there the majorities in the clusters of the side that has fewer of them",
    ),
    Peer("classification_error", "1 - purity(truth, labels)", "as for purity_index"),
    Peer("nmi", f"normalized_mutual_information(truth, labels{_ARITHMETIC})", "norm_type='sum'"),
    Peer(
        "adj_mi",
        f"adjusted_mutual_information(truth, labels{_ARITHMETIC})",
        "there with norm_type='sum'; its default, 'none', is MI less its expectation, in bits",
    ),
    Peer("vi", "variation_of_information(truth, labels)", "in bits there, in nats here"),
    Peer(
        "corrected_chance",
        "chance_corrected('jaccard_index', truth, labels)",
        "there both sides are drawn, nsamples=100 each; here one is permuted",
    ),
    Peer("element_sim", "element_centric_similarity(truth, labels)", "alpha=0.9 in both"),
    Peer(
        "onmi",
        "overlapping_normalized_mutual_information(truth, labels, normalizer='cluster')",
        "covers are karat.labelings.OverlappingPartition",
    ),
    Peer(
        "omega_index",
        "omega_index(truth, labels)",
        "covers are karat.labelings.OverlappingPartition",
    ),
    Peer("geometric_accuracy", "", "for complexes of proteins"),
    Peer("overlap_quality", "", "of the numbers of memberships alone"),
)

_NEGATED = "negated there, so that greater is better"
GENIECLUST = (
    Peer("adjusted_rand_score", "adjusted_rand_index(truth, labels)"),
    Peer("rand_score", "rand_index(truth, labels)"),
    Peer("fm_score", "fowlkes_mallows_index(truth, labels)"),
    Peer("adjusted_fm_score", "chance_corrected('fowlkes_mallows_index', truth, labels)"),
    Peer("mi_score", "mutual_information(truth, labels)"),
    Peer(
        "normalized_mi_score",
        f"normalized_mutual_information(truth, labels{_ARITHMETIC})",
        "the normaliser is arithmetic there and has no option",
    ),
    Peer(
        "adjusted_mi_score",
        f"adjusted_mutual_information(truth, labels{_ARITHMETIC})",
        "the normaliser is arithmetic there and has no option",
    ),
    Peer("pair_sets_index", "pair_sets_index(truth, labels)", "other values there for many pairs"),
    Peer("normalized_clustering_accuracy", "", "matching_accuracy is not normalised by class"),
    Peer("normalized_pivoted_accuracy", "", "matching_accuracy with 1/max(k, t) taken for 0"),
    Peer("confusion_matrix", "ContingencyTable(truth, labels).to_array()"),
    Peer("calinski_harabasz_index", "calinski_harabasz_index(X, labels)"),
    Peer("silhouette_index", "silhouette(X, labels)"),
    Peer("silhouette_w_index", "silhouette_by_cluster(X, labels).mean()"),
    Peer("generalised_dunn_index", _dunn("single", "complete"), "lowercase_d=1, uppercase_d=1"),
    Peer("negated_ball_hall_index", "ball_hall_index(X, labels)", _NEGATED),
    Peer("negated_davies_bouldin_index", "davies_bouldin_index(X, labels)", _NEGATED),
    Peer("negated_wcss_index", "within_sum_of_squares(X, labels)", _NEGATED),
    Peer("dunnowa_index", "", _SELDOM),
    Peer("wcnn_index", "", _SELDOM),
)

PERMETRICS = (
    Peer("calinski_harabasz_index", "calinski_harabasz_index(X, labels)"),
    Peer("davies_bouldin_index", "davies_bouldin_index(X, labels)"),
    Peer("ball_hall_index", "ball_hall_index(X, labels)", "there tr W/k"),
    Peer(
        "xie_beni_index",
        "xie_beni_index(X, labels)",
        "there each object counts for the nearest centroid, whatever its label",
    ),
    Peer("banfeld_raftery_index", "banfield_raftery_index(X, labels)"),
    Peer("det_ratio_index", "", _SELDOM),
    Peer("log_det_ratio_index", "log_determinant_ratio(X, labels)"),
    Peer("ksq_detw_index", "", _SELDOM),
    Peer(
        "dunn_index",
        "dunn_index(X, labels)",
        "there with use_modified=False; its default takes distances to centroids for those between",
    ),
    Peer(
        "silhouette_index",
        "silhouette(X, labels)",
        "there an object's own distance, 0, counts in its mean distance within",
    ),
    Peer("sum_squared_error_index", "within_sum_of_squares(X, labels)"),
    Peer("duda_hart_index", "", "there mean distances within over between"),
    Peer("beale_index", "", "there a ratio of mean squares"),
    Peer("hartigan_index", "", "there squares to the own over the nearest other centroid"),
    Peer("density_based_clustering_validation_index", "", "there without densities; see dbcv"),
    Peer("mutual_info_score", "mutual_information(truth, labels)"),
    Peer(
        "normalized_mutual_info_score",
        f"normalized_mutual_information(truth, labels{_ARITHMETIC})",
    ),
    Peer("rand_score", "rand_index(truth, labels)"),
    Peer("adjusted_rand_score", "adjusted_rand_index(truth, labels)"),
    Peer("fowlkes_mallows_score", "fowlkes_mallows_index(truth, labels)"),
    Peer(
        "homogeneity_score",
        "homogeneity(truth, labels)",
        "there clusters whose label is no class's are dropped",
    ),
    Peer("completeness_score", "completeness(truth, labels)", "as for homogeneity_score"),
    Peer("v_measure_score", "v_measure(truth, labels)", "as for homogeneity_score"),
    Peer("precision_score", "pair_precision(truth, labels)"),
    Peer("recall_score", "pair_recall(truth, labels)"),
    Peer("f_measure_score", _F),
    Peer("czekanowski_dice_score", _F),
)

_LARGE = "there not corrected above 10,000 objects"
_NOISE = "noise is singletons there by default, an error here"
ELKI = (
    Peer("PairCounting.precision", "pair_precision(truth, labels)"),
    Peer("PairCounting.recall", "pair_recall(truth, labels)"),
    Peer("PairCounting.f1Measure", _F),
    Peer("PairCounting.fowlkesMallows", "fowlkes_mallows_index(truth, labels)"),
    Peer("PairCounting.randIndex", "rand_index(truth, labels)"),
    Peer("PairCounting.adjustedRandIndex", "adjusted_rand_index(truth, labels)"),
    Peer("PairCounting.jaccard", "jaccard_index(truth, labels)"),
    Peer("PairCounting.mirkin", "mirkin_distance(truth, labels)"),
    Peer("Entropy.mutualInformation", "mutual_information(truth, labels)"),
    *(
        Peer(
            f"Entropy.{mean}NMI",
            f"normalized_mutual_information(truth, labels, normalizer={mean!r})",
        )
        for mean in ("arithmetic", "geometric", "max", "min", "joint")
    ),
    *(
        Peer(
            f"Entropy.adjusted{mean.capitalize()}MI",
            f"adjusted_mutual_information(truth, labels, normalizer={mean!r})",
            _LARGE,
        )
        for mean in ("arithmetic", "geometric", "max", "min")
    ),
    Peer("Entropy.adjustedJointMI", "", "the four means only"),
    Peer("Entropy.variationOfInformation", "variation_of_information(truth, labels)"),
    Peer(
        "Entropy.normalizedVariationOfInformation",
        "normalized_variation_of_information(truth, labels)",
    ),
    Peer(
        "Entropy.normalizedInformationDistance",
        "1 - normalized_mutual_information(truth, labels, normalizer='max')",
    ),
    Peer("Entropy.conditionalEntropyFirst", "conditional_entropy(truth, labels)"),
    Peer("Entropy.entropyPowers", f"1 - normalized_mutual_information(truth, labels{_ARITHMETIC})"),
    Peer("BCubed.precision", "bcubed_precision(truth, labels)"),
    Peer("BCubed.recall", "bcubed_recall(truth, labels)"),
    Peer("BCubed.f1Measure", "bcubed_f_measure(truth, labels)"),
    Peer(
        "SetMatchingPurity.purity",
        "inverse_purity(truth, labels)",
        "there of the first clustering: majorities in the classes, if that is the gold standard",
    ),
    Peer("SetMatchingPurity.inversePurity", "purity(truth, labels)", "as for purity"),
    Peer("SetMatchingPurity.fMeasureFirst", "f_quality(truth, labels)"),
    Peer("SetMatchingPurity.fMeasureSecond", "f_quality(labels, truth)"),
    Peer("MaximumMatchingAccuracy", "matching_accuracy(truth, labels)"),
    Peer(
        "PairSetsIndex.psi",
        "pair_sets_index(truth, labels)",
        "there the smallest sizes are paired: another number for unequal numbers of clusters",
    ),
    Peer("PairSetsIndex.simplifiedPSI", "", "pair_sets_index is corrected by the sizes"),
    Peer("EditDistance", "", "of merges and moves; hamming_distance counts moves"),
    Peer("Silhouette", "silhouette(X, labels, noise='singletons')", _NOISE),
    Peer("PBMIndex", "pbm_index(X, labels, noise='singletons')", _NOISE),
    Peer(
        "ConcordantPairsGammaTau",
        "baker_hubert_gamma(X, labels, noise='singletons')",
        f"{_NOISE}; negative values are 0 there; its tau is kendall_tau_index",
    ),
)

PEERS = {
    "clusterCrit": CLUSTER_CRIT,
    "NbClust": NB_CLUST,
    "fpc": FPC,
    "scikit-learn": SCIKIT_LEARN,
    "clusim": CLUSIM,
    "genieclust": GENIECLUST,
    "permetrics": PERMETRICS,
    "ELKI": ELKI,
}

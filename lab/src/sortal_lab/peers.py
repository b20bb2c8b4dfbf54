"""The names that other packages give to measures, and what sortal calls them.

The page "Names in other packages" shows these tables. Each call is one of sortal's public functions
on the gold standard ``truth``, on data ``X``, a clustering ``labels``, or a sweep of clusterings
``labelings``. What the other packages compute was read in their documentation and source.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace

import sortal
from sortal.extension import SCIKIT_LEARN as RENAMED

#: why a criterion is not there
_SELDOM = "seldom reported"


@dataclass(frozen=True)
class Peer:
    """A name of another package.

    Attributes
    ----------
    name : str
        In the other package.
    call : str
        In sortal; empty where it is not there.
    note : str
        Where the values differ, or why it is not there.
    there : str
        Where the values differ, the value of the other package in terms of sortal's functions.
    run : str
        Call in the other package, where it is not the name on the same arguments.
    is_wrong : bool
        Whether the value of the other package contradicts the definition that it cites.
    is_skipped : bool
        Whether it is not run, since it judges no given clustering.
    """

    name: str
    call: str
    note: str = ""
    there: str = ""
    run: str = ""
    is_wrong: bool = False
    is_skipped: bool = False


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

#: mean distance within of each object's cluster
_BY_OBJECT = (
    "sum(squareform(pdist(X[labels == c])).sum() / max((labels == c).sum() - 1, 1)"
    " for c in set(labels.tolist()))"
    " / sum((labels == label).sum() > 1 for label in labels)"
)

FPC = (
    Peer("average.between", "average_between_cluster_scatter(X, labels)"),
    Peer(
        "average.within",
        "average_within_cluster_scatter(X, labels)",
        "newer versions give each object, not each pair, the same weight, and exclude singletons",
        there=_BY_OBJECT,
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
    Peer(
        "wb.ratio",
        "mcclain_rao_index(X, labels)",
        "as for average.within",
        there=f"{_BY_OBJECT} / average_between_cluster_scatter(X, labels)",
    ),
    Peer("ch", "calinski_harabasz_index(X, labels)"),
    Peer("cwidegap", "", _SELDOM),
    Peer("widestgap", "widest_within_gap(X, labels)"),
    Peer("sindex", "separation_index(X, labels)"),
    Peer("corrected.rand", "adjusted_rand_index(truth, labels)"),
    Peer("vi", "variation_of_information(truth, labels)"),
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
    first = next(iter(inspect.signature(getattr(sortal, name)).parameters))
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
_OTHER_FORM = {
    "pair_confusion_matrix": (
        "unordered pairs here; the matrix there counts each pair twice",
        "2 * np.array([[neither, only_pred], [only_true, both]])",
    ),
    "contingency_matrix": (
        "an object here, a matrix there",
        "ContingencyTable(truth, labels).to_array()",
    ),
}
SCIKIT_LEARN = tuple(
    replace(peer, note=_OTHER_FORM[peer.name][0], there=_OTHER_FORM[peer.name][1])
    if peer.name in _OTHER_FORM
    else peer
    for peer in SCIKIT_LEARN
)

_F = "pair_f_measure(truth, labels)"
_SMALLER_SIDE = "purity(*sorted((truth, labels), key=lambda side: -len(np.unique(side))))"
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
        there=_SMALLER_SIDE,
    ),
    Peer(
        "classification_error",
        "1 - purity(truth, labels)",
        "as for purity_index",
        there=f"1 - {_SMALLER_SIDE}",
    ),
    Peer("nmi", f"normalized_mutual_information(truth, labels{_ARITHMETIC})", "norm_type='sum'"),
    Peer(
        "adj_mi",
        f"adjusted_mutual_information(truth, labels{_ARITHMETIC})",
        "there with norm_type='sum'; its default, 'none', is MI less its expectation, in bits",
        run="adj_mi(T, C, norm_type='sum')",
    ),
    Peer(
        "vi",
        "variation_of_information(truth, labels)",
        "in bits there, in nats here",
        there="variation_of_information(truth, labels) / np.log(2)",
    ),
    Peer(
        "corrected_chance",
        "chance_corrected('jaccard_index', truth, labels).value",
        "there both sides are drawn, nsamples=100 each; here one is permuted",
        is_skipped=True,
    ),
    Peer("element_sim", "element_centric_similarity(truth, labels)", "alpha=0.9 in both"),
    Peer(
        "onmi",
        "overlapping_normalized_mutual_information(truth, labels, normalizer='cluster')",
        "there 1 − P(1, 1) stands for P(0, 0) in the condition of the paper's equation B.14",
        there="onmi_of_clusim(truth, labels)",
        is_wrong=True,
    ),
    Peer(
        "omega_index",
        "omega_index(truth, labels)",
        "covers are sortal.labelings.OverlappingPartition",
    ),
    Peer("geometric_accuracy", "", "for complexes of proteins"),
    Peer("overlap_quality", "", "of the numbers of memberships alone"),
)

_NEGATED = "negated there, so that greater is better"
GENIECLUST = (
    Peer("adjusted_rand_score", "adjusted_rand_index(truth, labels)"),
    Peer("rand_score", "rand_index(truth, labels)"),
    Peer("fm_score", "fowlkes_mallows_index(truth, labels)"),
    Peer(
        "adjusted_fm_score",
        "chance_corrected('fowlkes_mallows_index', truth, labels).value",
        "the expectation is exact there, of permutations here",
        there="(lambda expected: (fowlkes_mallows_index(truth, labels) - expected)"
        " / (1 - expected))(((both + only_true) * (both + only_pred)) ** 0.5"
        " / (both + only_true + only_pred + neither))",
    ),
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
    Peer("pair_sets_index", "pair_sets_index(truth, labels)"),
    Peer("normalized_clustering_accuracy", "", "matching_accuracy is not normalised by class"),
    Peer("normalized_pivoted_accuracy", "", "matching_accuracy with 1/max(k, t) taken for 0"),
    Peer("confusion_matrix", "ContingencyTable(truth, labels).to_array()"),
    Peer("calinski_harabasz_index", "calinski_harabasz_index(X, labels)"),
    Peer("silhouette_index", "silhouette(X, labels)"),
    Peer(
        "silhouette_w_index",
        "silhouette_by_cluster(X, labels).mean()",
        "clusters of one object are excluded there, and have silhouette 0 here",
        there="silhouette_by_cluster(X, labels)"
        "[np.unique(labels, return_counts=True)[1] > 1].mean()",
    ),
    Peer(
        "generalised_dunn_index",
        _dunn("single", "complete"),
        "lowercase_d=1, uppercase_d=1",
        run="generalised_dunn_index(X, labels, 1, 1)",
    ),
    Peer(
        "negated_ball_hall_index",
        "ball_hall_index(X, labels)",
        "there the sum over the clusters, negated",
        there="-k * ball_hall_index(X, labels)",
    ),
    Peer(
        "negated_davies_bouldin_index",
        "davies_bouldin_index(X, labels)",
        _NEGATED,
        there="-davies_bouldin_index(X, labels)",
    ),
    Peer(
        "negated_wcss_index",
        "within_sum_of_squares(X, labels)",
        _NEGATED,
        there="-within_sum_of_squares(X, labels)",
    ),
    Peer("dunnowa_index", "", _SELDOM),
    Peer("wcnn_index", "", _SELDOM),
)

_HOMOGENEITY = (
    "(1 - sum((labels == c).mean() * entropy(np.unique(truth[labels == c], return_counts=True)[1])"
    " for c in np.unique(truth) if (labels == c).any())"
    " / entropy(np.unique(truth, return_counts=True)[1]))"
)
_PAIRS = "(both + only_true + only_pred + neither)"
_PHI = (
    "(both * neither - only_true * only_pred) / ((both + only_true) * (both + only_pred)"
    " * (neither + only_true) * (neither + only_pred)) ** 0.5"
)
_MC_NEMAR = f"(neither - only_pred) / (neither + only_pred) ** 0.5 / {_PAIRS} ** 0.5"
_LOG_ODDS = "np.log(r_squared(X, labels) / (1 - r_squared(X, labels)))"
_ENTROPIES = (
    "sum(entropy(np.unique(truth[labels == c], return_counts=True)[1], base=2)"
    " for c in np.unique(labels))"
)

PERMETRICS = (
    Peer("calinski_harabasz_index", "calinski_harabasz_index(X, labels)"),
    Peer("davies_bouldin_index", "davies_bouldin_index(X, labels)"),
    Peer(
        "ball_hall_index",
        "ball_hall_index(X, labels)",
        "there tr W/k",
        there="within_sum_of_squares(X, labels) / k",
    ),
    Peer(
        "xie_beni_index",
        "xie_beni_index(X, labels)",
        "there each object counts for the nearest centroid, whatever its label",
        there="(lambda centroids: cdist(X, centroids).min(axis=1) @ cdist(X, centroids).min(axis=1)"
        " / n / pdist(centroids, 'sqeuclidean').min())"
        "(np.array([X[labels == c].mean(axis=0) for c in np.unique(labels)]))",
    ),
    Peer("banfeld_raftery_index", "banfield_raftery_index(X, labels)"),
    Peer("det_ratio_index", "", _SELDOM),
    Peer("log_det_ratio_index", "log_determinant_ratio(X, labels)"),
    Peer("ksq_detw_index", "", _SELDOM),
    Peer(
        "dunn_index",
        "dunn_index(X, labels)",
        "there with use_modified=False; its default takes distances to centroids for those between",
        run="judge.dunn_index(use_modified=False)",
    ),
    Peer(
        "silhouette_index",
        "silhouette(X, labels)",
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
        there=_HOMOGENEITY,
        is_wrong=True,
    ),
    Peer("completeness_score", "completeness(truth, labels)"),
    Peer(
        "v_measure_score",
        "v_measure(truth, labels)",
        "as for homogeneity_score",
        there=f"(lambda h, c: 2 * h * c / (h + c))({_HOMOGENEITY}, completeness(truth, labels))",
        is_wrong=True,
    ),
    Peer(
        "precision_score",
        "pair_precision(truth, labels)",
        "0 there, 1 here without a pair in a cluster",
        there="both / max(both + only_pred, 1)",
    ),
    Peer("recall_score", "pair_recall(truth, labels)"),
    Peer("f_measure_score", _F),
    Peer("czekanowski_dice_score", _F),
    Peer("jaccard_score", "jaccard_index(truth, labels)"),
    Peer("purity_score", "purity(truth, labels)"),
    Peer("r_squared_index", "r_squared(X, labels)"),
    Peer("mean_squared_error_index", "within_sum_of_squares(X, labels) / len(X)"),
    Peer("log_ss_ratio_index", "", "the logarithm of the odds of r_squared", there=_LOG_ODDS),
    Peer("hubert_gamma_score", "", _FROM_PAIRS, there=_PHI),
    Peer("phi_score", "", _FROM_PAIRS, there=_PHI),
    Peer(
        "kulczynski_score",
        "(pair_precision(truth, labels) + pair_recall(truth, labels)) / 2",
        "as for precision_score",
        there="0 if both + only_pred == 0 else"
        " (pair_precision(truth, labels) + pair_recall(truth, labels)) / 2",
    ),
    Peer("mc_nemar_score", "", _FROM_PAIRS, there=_MC_NEMAR),
    Peer(
        "rogers_tanimoto_score",
        "",
        _FROM_PAIRS,
        there="(both + neither) / (both + neither + 2 * (only_true + only_pred))",
    ),
    Peer("russel_rao_score", "", _FROM_PAIRS, there=f"both / {_PAIRS}"),
    Peer(
        "sokal_sneath1_score",
        "",
        _FROM_PAIRS,
        there="both / (both + 2 * (only_true + only_pred))",
    ),
    Peer(
        "sokal_sneath2_score",
        "",
        _FROM_PAIRS,
        there="(both + neither) / (both + neither + (only_true + only_pred) / 2)",
    ),
    Peer(
        "entropy_score",
        "conditional_entropy(labels, truth) / math.log(2)",
        "there the clusters' entropies are added up without their sizes, by a slip of an axis",
        there=_ENTROPIES,
        is_wrong=True,
    ),
    Peer("gamma_score", "2 * rand_index(truth, labels) - 1"),
    Peer("gplus_score", "1 - rand_index(truth, labels)"),
    Peer("tau_score", "", _FROM_PAIRS, is_skipped=True),
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
    Peer(
        "BCubed.precision",
        "bcubed_precision(truth, labels)",
        "in 0.7 exchanged with recall",
        there="bcubed_recall(truth, labels)",
    ),
    Peer(
        "BCubed.recall",
        "bcubed_recall(truth, labels)",
        "in 0.7 exchanged with precision",
        there="bcubed_precision(truth, labels)",
    ),
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
#: what ELKI 0.7 calls them
_IN_ELKI = {
    "PairCounting": "pairs",
    "BCubed": "bcubed",
    "SetMatchingPurity": "matching",
    "Entropy": "entropies",
}
_ENTROPY_IN_ELKI = {
    "mutualInformation": "entropyMutualInformation",
    "arithmeticNMI": "entropyNMISum",
    "geometricNMI": "entropyNMISqrt",
    "maxNMI": "entropyNMIMax",
    "minNMI": "entropyNMIMin",
    "jointNMI": "entropyNMIJoint",
    "variationOfInformation": "variationOfInformation",
    "normalizedVariationOfInformation": "normalizedVariationOfInformation",
    "conditionalEntropyFirst": "entropyConditionalFirst",
    "entropyPowers": "entropyPowers",
}


def _run_in_elki(name: str) -> str:
    """Call of a name in ELKI 0.7; empty for those that came later."""
    group, _, method = name.partition(".")
    if group == "Entropy":
        method = _ENTROPY_IN_ELKI.get(method, "")
    is_later = group not in _IN_ELKI or method in ("", "mirkin")
    return "" if is_later else f"{_IN_ELKI[group]}.{method}()"


ELKI = tuple(replace(peer, run=_run_in_elki(peer.name)) for peer in ELKI)

HDBSCAN = (
    Peer(
        "validity_index",
        "dbcv(X, labels, metric='euclidean')",
        "squared distances are the default here, as in the paper's figures",
        run="import_module('hdbscan.validity').validity_index(X, labels)",
    ),
)

_DISTANCES = "import_module('sklearn.metrics').pairwise_distances(X)"
VALIDCLUST = (
    Peer(
        "dunn",
        "dunn_index(X, labels)",
        run=f"import_module('validclust').dunn({_DISTANCES}, labels)",
    ),
    Peer(
        "cop",
        "",
        _SELDOM,
        run=f"import_module('validclust').cop(X, {_DISTANCES}, labels)",
    ),
)

CLUE = (
    Peer("agreement.Rand", "rand_index(truth, labels)"),
    Peer("agreement.cRand", "adjusted_rand_index(truth, labels)"),
    Peer("agreement.NMI", "normalized_mutual_information(truth, labels)"),
    Peer("agreement.FM", "fowlkes_mallows_index(truth, labels)"),
    Peer("agreement.Jaccard", "jaccard_index(truth, labels)"),
    Peer("agreement.purity", "inverse_purity(truth, labels)", "there of the first clustering"),
    Peer("agreement.diag", "matching_accuracy(truth, labels)"),
    Peer(
        "agreement.KP",
        "",
        "correlation of the matrices of co-membership, with their diagonals",
        there="np.corrcoef(*((side[:, None] == side).ravel() for side in (truth, labels)))[0, 1]",
    ),
    Peer("agreement.PS", "", "of the prototypes of the ensemble", is_skipped=True),
    Peer("dissimilarity.symdiff", "mirkin_distance(truth, labels) / 2", "each pair once there"),
    Peer("dissimilarity.VI", "variation_of_information(truth, labels)"),
    Peer("dissimilarity.Rand", "1 - rand_index(truth, labels)"),
    Peer("dissimilarity.comemberships", "", _FROM_PAIRS),
)

MCLUST = (
    Peer("adjustedRandIndex", "adjusted_rand_index(truth, labels)"),
    Peer("classError", "1 - matching_accuracy(truth, labels)"),
)

#: over the clusters: weight of the edges that leave them, sum of their nodes' degrees
_CUT = "A[labels == c][:, labels != c].sum()"
_VOLUME, _REST = "A[labels == c].sum()", "A[labels != c].sum()"
_WITHIN = "labels[:, None] == labels"


def _of_parts(of_part: str) -> str:
    """The sum over the clusters."""
    return f"sum({of_part} for c in np.unique(labels))"


NETWORKX = (
    Peer("modularity", "modularity(A, labels)", run="networkx.community.modularity(G, parts)"),
    Peer(
        "partition_quality: coverage",
        "",
        "modularity subtracts the share that is expected",
        there=f"(A > 0)[{_WITHIN}].sum() / (A > 0).sum()",
        run="networkx.community.partition_quality(G, parts)[0]",
    ),
    Peer(
        "partition_quality: performance",
        "",
        "counts pairs without an edge, nearly all in large graphs",
        there=f"(({_WITHIN}) == (A > 0))[np.triu_indices(n, 1)].mean()",
        run="networkx.community.partition_quality(G, parts)[1]",
    ),
    Peer(
        "conductance",
        "conductance(A, labels)",
        "of one cluster there; here the mean over the clusters",
        run="np.mean([networkx.conductance(G, part, weight='weight') for part in parts])",
    ),
    Peer(
        "normalized_cut_size",
        "graph_normalized_cut(A, labels)",
        "of one cluster there, which adds the cut over the volume of all other nodes",
        there=_of_parts(f"{_CUT} * (1 / {_VOLUME} + 1 / {_REST})"),
        run="sum(networkx.normalized_cut_size(G, part, weight='weight') for part in parts)",
    ),
    Peer(
        "edge_expansion",
        "graph_ratio_cut(A, labels)",
        "of one cluster there, over the smaller one of its size and that of the others",
        there=_of_parts(f"{_CUT} / min((labels == c).sum(), (labels != c).sum())"),
        run="sum(networkx.edge_expansion(G, part, weight='weight') for part in parts)",
    ),
    Peer(
        "cut_size",
        "",
        "grows with the clusters; the cuts divide it",
        there=_of_parts(_CUT),
        run="sum(networkx.cut_size(G, part, weight='weight') for part in parts)",
    ),
    Peer(
        "mixing_expansion",
        "",
        "cut_size over twice the number of edges",
        there=f"{_of_parts(_CUT)} / (A > 0).sum()",
        run="sum(networkx.mixing_expansion(G, part, weight='weight') for part in parts)",
    ),
    Peer("volume", "", "the degrees of a cluster's nodes: no judgement"),
    Peer("node_expansion", "", "counts the nodes beside a cluster, not its edges"),
    Peer("boundary_expansion", "", "counts the nodes beside a cluster, not its edges"),
)

_OF_FIT = "of a fit of its own; it runs as sortal.bench.KPrototypes"
_BINARY = "np.insert(Z % 2, 0, 1, axis=1)"
KMODES = (
    Peer(
        "matching_dissim",
        "distances.distance_matrix(Z, metric='hamming') * Z.shape[1]",
        run="np.array([dissim.matching_dissim(Z, row) for row in Z])",
    ),
    Peer(
        "euclidean_dissim",
        "distances.distance_matrix(X, metric='sqeuclidean')",
        run="np.array([dissim.euclidean_dissim(X, row) for row in X])",
    ),
    Peer(
        "jaccard_dissim_binary",
        f"distances.distance_matrix({_BINARY}, metric='jaccard')",
        "two rows without a presence are an error there",
        run=f"np.array([dissim.jaccard_dissim_binary({_BINARY}, row) for row in {_BINARY}])",
    ),
    Peer("jaccard_dissim_label", "", "compares sets of codes, whatever their column"),
    Peer("ng_dissim", "", "to the modes of a fit's clusters"),
    Peer("KModes.cost_", "", _OF_FIT),
    Peer("KPrototypes.cost_", "", _OF_FIT),
)

PEERS = {
    "clusterCrit": CLUSTER_CRIT,
    "NbClust": NB_CLUST,
    "fpc": FPC,
    "scikit-learn": SCIKIT_LEARN,
    "clusim": CLUSIM,
    "genieclust": GENIECLUST,
    "permetrics": PERMETRICS,
    "hdbscan": HDBSCAN,
    "validclust": VALIDCLUST,
    "networkx": NETWORKX,
    "kmodes": KMODES,
    "clue": CLUE,
    "mclust": MCLUST,
    "ELKI": ELKI,
}

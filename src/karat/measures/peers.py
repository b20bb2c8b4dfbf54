"""The names that other packages give to internal measures, and what karat calls them.

The page on internal measures shows these tables. Each call is one of karat's public functions on
data ``X`` and a clustering ``labels``, or a sweep of clusterings ``labelings``.
"""

from __future__ import annotations

from typing import NamedTuple

__all__: list[str] = []


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
    Peer("Det_Ratio", "determinant_ratio(X, labels)"),
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
    Peer("Ksq_DetW", "marriott_index(X, labels)"),
    Peer("Log_Det_Ratio", "log_determinant_ratio(X, labels)"),
    Peer("Log_SS_Ratio", "log_scatter_ratio(X, labels)"),
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
    Peer("Scott_Symons", "scott_symons_index(X, labels)"),
    Peer("SD_Dis", "sd_separation(X, labels)"),
    Peer("SD_Scat", "sd_scattering(X, labels)"),
    Peer("Silhouette", "silhouette_by_cluster(X, labels).mean()", "a mean over the clusters"),
    Peer("Tau", "kendall_tau_index(X, labels)", "its manual swaps s⁺ and s⁻"),
    Peer("Trace_W", "within_sum_of_squares(X, labels)"),
    Peer("Trace_WiB", "friedman_rubin_index(X, labels)"),
    Peer("Wemmert_Gancarski", "wemmert_gancarski_index(X, labels)"),
    Peer("Xie_Beni", "xie_beni_index(X, labels, separation='single')"),
)

NB_CLUST = (
    Peer("kl", "krzanowski_lai_index(X, labelings)"),
    Peer("ch", "calinski_harabasz_index(X, labels)"),
    Peer("hartigan", "hartigan_index(X, labelings)", "there times n − k, not n − k − 1"),
    Peer("ccc", "cubic_clustering_criterion(X, labels)"),
    Peer("scott", "log_determinant_ratio(X, labels)"),
    Peer("marriot", "marriott_index(X, labels)"),
    Peer(
        "trcovw", "pooled_variance(X, labels)", "there the trace of the covariance of W's columns"
    ),
    Peer("tracew", "within_sum_of_squares(X, labels)"),
    Peer("friedman", "friedman_rubin_index(X, labels)"),
    Peer("rubin", "determinant_ratio(X, labels)", "there tr T/tr W, whatever its manual says"),
    Peer("cindex", "c_index(X, labels)", "there ∣P_w∣ times the extreme distances within"),
    Peer("db", "davies_bouldin_index(X, labels, q=2)"),
    Peer("silhouette", "silhouette(X, labels)"),
    Peer("duda", "split_statistics(X, labelings)['duda_hart']"),
    Peer("pseudot2", "split_statistics(X, labelings)['pseudo_t2']"),
    Peer(
        "beale",
        "split_statistics(X, labelings)['beale']",
        "there over (n_M − 1)/(n_M − 2) · (2^{2/d} − 1)",
    ),
    Peer("ratkowsky", "ratkowsky_lance_index(X, labels)"),
    Peer("ball", "ball_hall_index(X, labels)", "there tr W/k"),
    Peer("ptbiserial", "point_biserial_index(X, labels)"),
    Peer("gap", "gap_statistic(X)", "of a clusterer, not of a clustering"),
    Peer("frey", "frey_index(X, labelings)"),
    Peer("mcclain", "mcclain_rao_index(X, labels)", "there the means over ∣P_w∣ and ∣P_b∣ again"),
    Peer("gamma", "baker_hubert_gamma(X, labels)"),
    Peer("gplus", "g_plus_index(X, labels)"),
    Peer("tau", "kendall_tau_index(X, labels)"),
    Peer("dunn", "dunn_index(X, labels)"),
    Peer("hubert", "modified_hubert_statistic(X, labels)"),
    Peer("sdindex", "sd_index(X, labelings)"),
    Peer("dindex", "d_index(X, labels)"),
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
    Peer("cwidegap", "widest_within_gap_by_cluster(X, labels)"),
    Peer("widestgap", "widest_within_gap(X, labels)"),
    Peer("sindex", "separation_index(X, labels)"),
    Peer("corrected.rand", "adjusted_rand_index(labels, labels)"),
    Peer("vi", "variation_of_information(labels, labels)"),
    Peer("dudahart2", "split_statistics(X, labelings)", "there p-values of a normal law"),
    Peer(
        "cvnn",
        "cvnn_index(X, labelings, n_neighbors=5, compactness='pairs')",
        "not the paper's compactness, which karat takes by default",
    ),
    Peer("cvnnd", "", "how uniform the densities within are: random clusters may score better"),
)

PEERS = {"clusterCrit": CLUSTER_CRIT, "NbClust": NB_CLUST, "fpc": FPC}

"""The works that karat implements, and references to them.

Records, documentation, docstrings and ``karat measures`` cite from here.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from karat.runtime.validation import unknown_name

F = TypeVar("F", bound=Callable[..., Any])


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
        """Surnames and year, as it is cited in a line of text."""
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
    >>> from karat.measures.bibliography import Reference
    >>> print(Reference("rousseeuw1987"))
    Rousseeuw 1987
    >>> print(Reference("whissell2012", "3.12"))
    Whissell 2012, eq. 3.12
    """

    paper: str | Work
    equation: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.paper, str) and self.paper not in BIBLIOGRAPHY:
            raise unknown_name(self.paper, BIBLIOGRAPHY, "work")

    @property
    def work(self) -> Work:
        """The work that is referred to."""
        return BIBLIOGRAPHY[self.paper] if isinstance(self.paper, str) else self.paper

    @property
    def place(self) -> str:
        """Where in the work: ``"eq. 3.12"``, ``"eqs. 18–26"``, ``"§6.2"``, or nothing."""
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


def cite(*references: Reference) -> Callable[[F], F]:
    """A decorator that gives a function's documentation a section "References"."""

    def add(function: F) -> F:
        doc = inspect.cleandoc(function.__doc__ or "")
        if "References\n-----" in doc:
            return function
        entries = "\n".join(
            textwrap.fill(f"* {reference.full}", 95, subsequent_indent="  ")
            for reference in references
        )
        section = f"References\n----------\n{entries}\n"
        before, examples, after = doc.partition("Examples\n--------\n")
        function.__doc__ = f"{before.rstrip()}\n\n{section}" + (
            f"\n{examples}{after}\n" if examples else ""
        )
        return function

    return add


BIBLIOGRAPHY: dict[str, Work] = {
    "abul2003": Work(
        "Abul, O.; Lo, A.; Alhajj, R.; Polat, F.; Barker, K.",
        2003,
        "Cluster validity analysis using subsampling",
        "IEEE International Conference on Systems, Man and Cybernetics",
    ),
    "ackerman2008": Work(
        "Ackerman, M.; Ben-David, S.",
        2008,
        "Measures of clustering quality: a working set of axioms for clustering",
        "Advances in Neural Information Processing Systems 21",
    ),
    "amigo2009": Work(
        "Amigó, E.; Gonzalo, J.; Artiles, J.; Verdejo, F.",
        2009,
        "A comparison of extrinsic clustering evaluation metrics based on formal constraints",
        "Information Retrieval 12(4), 461–486",
        "10.1007/s10791-008-9066-8",
    ),
    "baker1975": Work(
        "Baker, F. B.; Hubert, L. J.",
        1975,
        "Measuring the power of hierarchical cluster analysis",
        "Journal of the American Statistical Association 70(349), 31–38",
    ),
    "ball1965": Work(
        "Ball, G. H.; Hall, D. J.",
        1965,
        "ISODATA, a novel method of data analysis and pattern classification",
        "Stanford Research Institute",
    ),
    "banerjee2004": Work(
        "Banerjee, A.; Langford, J.",
        2004,
        "An objective evaluation criterion for clustering",
        "Knowledge Discovery and Data Mining (KDD), 515–520",
    ),
    "banfield1993": Work(
        "Banfield, J. D.; Raftery, A. E.",
        1993,
        "Model-based Gaussian and non-Gaussian clustering",
        "Biometrics 49(3), 803–821",
    ),
    "beale1969": Work(
        "Beale, E. M. L.",
        1969,
        "Euclidean cluster analysis",
        "Bulletin of the International Statistical Institute 43(2), 92–94",
    ),
    "beer2026": Work(
        "Beer, A.; Krieger, L.; Weber, P.; Ritzert, M.; Assent, I.; Plant, C.",
        2026,
        "Internal evaluation of density-based clusterings with noise",
        "International Conference on Learning Representations (ICLR); arXiv:2503.00127",
    ),
    "bezdek1974": Work(
        "Bezdek, J. C.",
        1974,
        "Cluster validity with fuzzy sets",
        "Journal of Cybernetics 3(3), 58–73",
    ),
    "bezdek1998": Work(
        "Bezdek, J. C.; Pal, N. R.",
        1998,
        "Some new indexes of cluster validity",
        "IEEE Transactions on Systems, Man, and Cybernetics B 28(3), 301–315",
        "10.1109/3477.678624",
    ),
    "brandes2003": Work(
        "Brandes, U.; Gaertler, M.; Wagner, D.",
        2003,
        "Experiments on graph clustering algorithms",
        "European Symposium on Algorithms (ESA), 568–579",
        "10.1007/978-3-540-39658-1_52",
    ),
    "brouwer2009": Work(
        "Brouwer, R. K.",
        2009,
        "Extending the Rand, adjusted Rand and Jaccard indices to fuzzy partitions",
        "Journal of Intelligent Information Systems 32, 213–235",
    ),
    "calinski1974": Work(
        "Caliński, T.; Harabasz, J.",
        1974,
        "A dendrite method for cluster analysis",
        "Communications in Statistics 3(1), 1–27",
        "10.1080/03610927408827101",
    ),
    "campello2007": Work(
        "Campello, R. J. G. B.",
        2007,
        "A fuzzy extension of the Rand index and other related indexes for clustering and "
        "classification assessment",
        "Pattern Recognition Letters 28(7), 833–841",
    ),
    "collins1988": Work(
        "Collins, L. M.; Dent, C. W.",
        1988,
        "Omega: a general formulation of the Rand index of cluster recovery suitable for "
        "non-disjoint solutions",
        "Multivariate Behavioral Research 23(2), 231–242",
    ),
    "davies1979": Work(
        "Davies, D. L.; Bouldin, D. W.",
        1979,
        "A cluster separation measure",
        "IEEE Transactions on Pattern Analysis and Machine Intelligence 1(2), 224–227",
        "10.1109/TPAMI.1979.4766909",
    ),
    "ding2001": Work(
        "Ding, C. H. Q.; He, X.; Zha, H.; Gu, M.; Simon, H. D.",
        2001,
        "A min-max cut algorithm for graph partitioning and data clustering",
        "IEEE International Conference on Data Mining (ICDM), 107–114",
        "10.1109/ICDM.2001.989507",
    ),
    "dom2001": Work(
        "Dom, B. E.",
        2001,
        "An information-theoretic external cluster-validity measure",
        "IBM Research Report RJ 10219",
    ),
    "duda1973": Work(
        "Duda, R. O.; Hart, P. E.", 1973, "Pattern Classification and Scene Analysis", "Wiley"
    ),
    "dunn1973": Work(
        "Dunn, J. C.",
        1973,
        "A fuzzy relative of the ISODATA process and its use in detecting compact "
        "well-separated clusters",
        "Journal of Cybernetics 3(3), 32–57",
        "10.1080/01969727308546046",
    ),
    "efron1981": Work(
        "Efron, B.; Stein, C.",
        1981,
        "The jackknife estimate of variance",
        "The Annals of Statistics 9(3), 586–596",
        "10.1214/aos/1176345462",
    ),
    "emmons2016": Work(
        "Emmons, S.; Kobourov, S.; Gallant, M.; Börner, K.",
        2016,
        "Analysis of network clustering algorithms and cluster quality metrics at scale",
        "PLoS ONE 11(7), e0159161",
        "10.1371/journal.pone.0159161",
    ),
    "fowlkes1983": Work(
        "Fowlkes, E. B.; Mallows, C. L.",
        1983,
        "A method for comparing two hierarchical clusterings",
        "Journal of the American Statistical Association 78(383), 553–569",
        "10.1080/01621459.1983.10478008",
    ),
    "frey1972": Work(
        "Frey, T.; Van Groenewoud, H.",
        1972,
        "A cluster analysis of the D² matrix of white spruce stands in Saskatchewan based on the "
        "maximum-minimum principle",
        "Journal of Ecology 60(3), 873–886",
    ),
    "friedman1967": Work(
        "Friedman, H. P.; Rubin, J.",
        1967,
        "On some invariant criteria for grouping data",
        "Journal of the American Statistical Association 62(320), 1159–1178",
    ),
    "gagolewski2021": Work(
        "Gagolewski, M.; Bartoszuk, M.; Cena, A.",
        2021,
        "Are cluster validity measures (in)valid?",
        "Information Sciences 581, 620–636",
        "10.1016/j.ins.2021.10.004",
    ),
    "gates2019": Work(
        "Gates, A. J.; Wood, I. B.; Hetrick, W. P.; Ahn, Y.-Y.",
        2019,
        "Element-centric clustering comparison unifies overlaps and hierarchy",
        "Scientific Reports 9, 8574",
        "10.1038/s41598-019-44892-y",
    ),
    "hagen1992": Work(
        "Hagen, L.; Kahng, A. B.",
        1992,
        "New spectral methods for ratio cut partitioning and clustering",
        "IEEE Transactions on Computer-Aided Design 11(9), 1074–1085",
        "10.1109/43.159993",
    ),
    "halkidi2000": Work(
        "Halkidi, M.; Vazirgiannis, M.; Batistakis, Y.",
        2000,
        "Quality scheme assessment in the clustering process",
        "Principles of Data Mining and Knowledge Discovery (PKDD), 265–276",
    ),
    "halkidi2001": Work(
        "Halkidi, M.; Vazirgiannis, M.",
        2001,
        "Clustering validity assessment: finding the optimal partitioning of a data set",
        "IEEE International Conference on Data Mining (ICDM), 187–194",
    ),
    "halkidi2001b": Work(
        "Halkidi, M.; Batistakis, Y.; Vazirgiannis, M.",
        2001,
        "On clustering validation techniques",
        "Journal of Intelligent Information Systems 17, 107–145",
    ),
    "halkidi2008": Work(
        "Halkidi, M.; Vazirgiannis, M.",
        2008,
        "A density-based cluster validity approach using multi-representatives",
        "Pattern Recognition Letters 29(6), 773–786",
        "10.1016/j.patrec.2007.12.011",
    ),
    "halkidi2015": Work(
        "Halkidi, M.; Vazirgiannis, M.; Hennig, C.",
        2015,
        "Method-independent indices for cluster validation and estimating the number of clusters",
        "Handbook of Cluster Analysis, CRC Press, 595–618",
    ),
    "handl2005": Work(
        "Handl, J.; Knowles, J.; Kell, D. B.",
        2005,
        "Computational cluster validation in post-genomic data analysis",
        "Bioinformatics 21(15), 3201–3212",
        "10.1093/bioinformatics/bti517",
    ),
    "hartigan1975": Work("Hartigan, J. A.", 1975, "Clustering Algorithms", "Wiley"),
    "hennig2014": Work(
        "Hennig, C.",
        2014,
        "How many bee species? A case study in determining the number of clusters",
        "Data Analysis, Machine Learning and Knowledge Discovery, Springer, 41–49",
    ),
    "hennig2019": Work(
        "Hennig, C.",
        2019,
        "Cluster validation by measurement of clustering characteristics relevant to the user",
        "Data Analysis and Applications 1, Wiley, 1–24; arXiv:1703.09282",
    ),
    "hruschka2004": Work(
        "Hruschka, E. R.; de Castro, L. N.; Campello, R. J. G. B.",
        2004,
        "Evolutionary algorithms for clustering gene-expression data",
        "IEEE International Conference on Data Mining (ICDM), 403–406",
    ),
    "huang2015": Work(
        "Huang, H.; Liu, Y.; Yuan, M.; Marron, J. S.",
        2015,
        "Statistical significance of clustering using soft thresholding",
        "Journal of Computational and Graphical Statistics 24(4), 975–993",
        "10.1080/10618600.2014.948179",
    ),
    "hubert1976": Work(
        "Hubert, L. J.; Levin, J. R.",
        1976,
        "A general statistical framework for assessing categorical clustering in free recall",
        "Psychological Bulletin 83(6), 1072–1080",
    ),
    "hubert1985": Work(
        "Hubert, L.; Arabie, P.",
        1985,
        "Comparing partitions",
        "Journal of Classification 2, 193–218",
        "10.1007/BF01908075",
    ),
    "jaskowiak2022": Work(
        "Jaskowiak, P. A.; Costa, I. G.; Campello, R. J. G. B.",
        2022,
        "The area under the ROC curve as a measure of clustering quality",
        "Data Mining and Knowledge Discovery 36, 1219–1245",
    ),
    "jerdee2024": Work(
        "Jerdee, M.; Kirkley, A.; Newman, M. E. J.",
        2024,
        "Improved estimates for the number of non-negative integer matrices with given row and "
        "column sums",
        "Proceedings of the Royal Society A 480; arXiv:2209.14869",
    ),
    "kannan2004": Work(
        "Kannan, R.; Vempala, S.; Vetta, A.",
        2004,
        "On clusterings: good, bad and spectral",
        "Journal of the ACM 51(3), 497–515",
        "10.1145/990308.990313",
    ),
    "krzanowski1988": Work(
        "Krzanowski, W. J.; Lai, Y. T.",
        1988,
        "A criterion for determining the number of groups in a data set using sum-of-squares "
        "clustering",
        "Biometrics 44(1), 23–34",
    ),
    "lancichinetti2009": Work(
        "Lancichinetti, A.; Fortunato, S.; Kertész, J.",
        2009,
        "Detecting the overlapping and hierarchical community structure in complex networks",
        "New Journal of Physics 11, 033015, appendix B",
        "10.1088/1367-2630/11/3/033015",
    ),
    "lebart2000": Work(
        "Lebart, L.; Morineau, A.; Piron, M.",
        2000,
        "Statistique exploratoire multidimensionnelle",
        "Dunod",
    ),
    "liu2008": Work(
        "Liu, Y.; Hayes, D. N.; Nobel, A.; Marron, J. S.",
        2008,
        "Statistical significance of clustering for high-dimension, low-sample size data",
        "Journal of the American Statistical Association 103(483), 1281–1293",
        "10.1198/016214508000000454",
    ),
    "liu2013": Work(
        "Liu, Y.; Li, Z.; Xiong, H.; Gao, X.; Wu, J.; Wu, S.",
        2013,
        "Understanding and enhancement of internal clustering validation measures",
        "IEEE Transactions on Cybernetics 43(3), 982–994",
    ),
    "macqueen1967": Work(
        "MacQueen, J.",
        1967,
        "Some methods for classification and analysis of multivariate observations",
        "5th Berkeley Symposium on Mathematical Statistics and Probability, 281–297",
    ),
    "manning2008": Work(
        "Manning, C. D.; Raghavan, P.; Schütze, H.",
        2008,
        "Introduction to Information Retrieval",
        "Cambridge University Press",
    ),
    "marriott1971": Work(
        "Marriott, F. H. C.",
        1971,
        "Practical problems in a method of cluster analysis",
        "Biometrics 27(3), 501–514",
    ),
    "mcclain1975": Work(
        "McClain, J. O.; Rao, V. R.",
        1975,
        "CLUSTISZ: a program to test for the quality of clustering of a set of objects",
        "Journal of Marketing Research 12(4), 456–460",
    ),
    "mcdaid2011": Work(
        "McDaid, A. F.; Greene, D.; Hurley, N.",
        2011,
        "Normalized mutual information to evaluate overlapping community finding algorithms",
        "arXiv:1110.2515",
    ),
    "meila2007": Work(
        "Meilă, M.",
        2007,
        "Comparing clusterings – an information based distance",
        "Journal of Multivariate Analysis 98(5), 873–895",
        "10.1016/j.jmva.2006.11.013",
    ),
    "milligan1981": Work(
        "Milligan, G. W.",
        1981,
        "A Monte Carlo study of thirty internal criterion measures for cluster analysis",
        "Psychometrika 46, 187–199",
    ),
    "milligan1985": Work(
        "Milligan, G. W.; Cooper, M. C.",
        1985,
        "An examination of procedures for determining the number of clusters in a data set",
        "Psychometrika 50, 159–179",
    ),
    "mirkin1996": Work("Mirkin, B.", 1996, "Mathematical Classification and Clustering", "Kluwer"),
    "moulavi2014": Work(
        "Moulavi, D.; Jaskowiak, P. A.; Campello, R. J. G. B.; Zimek, A.; Sander, J.",
        2014,
        "Density-based clustering validation",
        "SIAM International Conference on Data Mining (SDM), 839–847",
        "10.1137/1.9781611973440.96",
    ),
    "newman2004": Work(
        "Newman, M. E. J.; Girvan, M.",
        2004,
        "Finding and evaluating community structure in networks",
        "Physical Review E 69, 026113",
        "10.1103/PhysRevE.69.026113",
    ),
    "newman2020": Work(
        "Newman, M. E. J.; Cantwell, G. T.; Young, J.-G.",
        2020,
        "Improved mutual information measure for clustering, classification, and community "
        "detection",
        "Physical Review E 101, 042304",
        "10.1103/PhysRevE.101.042304",
    ),
    "pakhira2004": Work(
        "Pakhira, M. K.; Bandyopadhyay, S.; Maulik, U.",
        2004,
        "Validity index for crisp and fuzzy clusters",
        "Pattern Recognition 37(3), 487–501",
    ),
    "patefield1981": Work(
        "Patefield, W. M.",
        1981,
        "Algorithm AS 159: an efficient method of generating random R × C tables with given row "
        "and column totals",
        "Applied Statistics 30(1), 91–97",
    ),
    "ratkowsky1978": Work(
        "Ratkowsky, D. A.; Lance, G. N.",
        1978,
        "A criterion for determining the number of groups in a classification",
        "Australian Computer Journal 10(3), 115–117",
    ),
    "ray1999": Work(
        "Ray, S.; Turi, R. H.",
        1999,
        "Determination of number of clusters in K-means clustering and application in colour "
        "image segmentation",
        "4th International Conference on Advances in Pattern Recognition and Digital Techniques, "
        "137–143",
    ),
    "reichardt2006": Work(
        "Reichardt, J.; Bornholdt, S.",
        2006,
        "Statistical mechanics of community detection",
        "Physical Review E 74, 016110",
        "10.1103/PhysRevE.74.016110",
    ),
    "rezaei2016": Work(
        "Rezaei, M.; Fränti, P.",
        2016,
        "Set matching measures for external cluster validity",
        "IEEE Transactions on Knowledge and Data Engineering 28(8), 2173–2186",
        "10.1109/TKDE.2016.2551240",
    ),
    "rohlf1974": Work(
        "Rohlf, F. J.",
        1974,
        "Methods of comparing classifications",
        "Annual Review of Ecology and Systematics 5, 101–113",
    ),
    "romano2016": Work(
        "Romano, S.; Vinh, N. X.; Bailey, J.; Verspoor, K.",
        2016,
        "Adjusting for chance clustering comparison measures",
        "Journal of Machine Learning Research 17(134), 1–32",
    ),
    "rosenberg2007": Work(
        "Rosenberg, A.; Hirschberg, J.",
        2007,
        "V-measure: a conditional entropy-based external cluster evaluation measure",
        "Empirical Methods in Natural Language Processing (EMNLP-CoNLL), 410–420",
    ),
    "rosvall2008": Work(
        "Rosvall, M.; Bergstrom, C. T.",
        2008,
        "Maps of random walks on complex networks reveal community structure",
        "Proceedings of the National Academy of Sciences 105(4), 1118–1123",
        "10.1073/pnas.0706851105",
    ),
    "rousseeuw1987": Work(
        "Rousseeuw, P. J.",
        1987,
        "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis",
        "Journal of Computational and Applied Mathematics 20, 53–65",
        "10.1016/0377-0427(87)90125-7",
    ),
    "sarle1983": Work(
        "Sarle, W. S.", 1983, "Cubic clustering criterion", "SAS Technical Report A-108"
    ),
    "scott1971": Work(
        "Scott, A. J.; Symons, M. J.",
        1971,
        "Clustering methods based on likelihood ratio criteria",
        "Biometrics 27(2), 387–397",
    ),
    "shi2000": Work(
        "Shi, J.; Malik, J.",
        2000,
        "Normalized cuts and image segmentation",
        "IEEE Transactions on Pattern Analysis and Machine Intelligence 22(8), 888–905",
        "10.1109/34.868688",
    ),
    "tibshirani2001": Work(
        "Tibshirani, R.; Walther, G.; Hastie, T.",
        2001,
        "Estimating the number of clusters in a data set via the gap statistic",
        "Journal of the Royal Statistical Society B 63(2), 411–423",
    ),
    "traag2019": Work(
        "Traag, V. A.; Waltman, L.; van Eck, N. J.",
        2019,
        "From Louvain to Leiden: guaranteeing well-connected communities",
        "Scientific Reports 9, 5233",
        "10.1038/s41598-019-41695-z",
    ),
    "vandongen2000": Work(
        "van Dongen, S. M.",
        2000,
        "Graph Clustering by Flow Simulation",
        "PhD thesis, University of Utrecht",
    ),
    "vinh2010": Work(
        "Vinh, N. X.; Epps, J.; Bailey, J.",
        2010,
        "Information theoretic measures for clusterings comparison: variants, properties, "
        "normalization and correction for chance",
        "Journal of Machine Learning Research 11, 2837–2854",
    ),
    "wemmert2000": Work(
        "Wemmert, C.; Gançarski, P.; Korczak, J. J.",
        2000,
        "A collaborative approach to combine multiple learning methods",
        "International Journal on Artificial Intelligence Tools 9(1), 59–78",
    ),
    "whissell2012": Work(
        "Whissell, J. S.",
        2012,
        "Evaluating clusterings by estimating clarity",
        "PhD thesis, University of Waterloo",
    ),
    "xie1991": Work(
        "Xie, X. L.; Beni, G.",
        1991,
        "A validity measure for fuzzy clustering",
        "IEEE Transactions on Pattern Analysis and Machine Intelligence 13(8), 841–847",
        "10.1109/34.85677",
    ),
    "yan2007": Work(
        "Yan, M.; Ye, K.",
        2007,
        "Determining the number of clusters using the weighted gap statistic",
        "Biometrics 63(4), 1031–1037",
    ),
}

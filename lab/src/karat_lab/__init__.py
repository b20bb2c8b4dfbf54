"""The published experiments, run by name with the public interface only.

Each module of this package holds one experiment, or several that share their work, and has
``run(*, name, samples=None, random_state=0, storage=None, progress=None) -> ExperimentResult``:
``samples`` scales it down (``None`` is the full experiment), ``storage`` is a file where finished
work is kept so that a killed run resumes, ``progress`` is called with a line of text now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.runtime.registry import Registry

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Experiment:
    """A published experiment that a user reruns by name.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        One line of prose.
    source : str
        Where it was published, or ``"karat"`` for a claim of our own.
    module : str
        The module that has ``run``.
    """

    name: str
    title: str
    source: str
    module: str

    @property
    def key(self) -> str:
        """Its name."""
        return self.name


@dataclass(frozen=True)
class ExperimentResult:
    """What an experiment found.

    Attributes
    ----------
    name : str
        The experiment.
    table : DataFrame
        The figures, published ones beside ours where there are any.
    notes : tuple of str
        What a reader must know to judge the table.
    """

    name: str
    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        body = self.table.to_string(float_format=lambda value: f"{value:.4g}")
        return "\n".join([self.name, "", body, *([""] if self.notes else []), *self.notes])

    def _repr_html_(self) -> str:
        import html

        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<h4>{html.escape(self.name)}</h4>{self.table.to_html()}<ul>{notes}</ul>"


EXPERIMENTS: Registry[Experiment] = Registry(
    "experiment",
    "karat.experiments",
    (
        Experiment(
            "abul2003",
            "Three subsampling methods on iris, wine, seeds, pendigits and isolet",
            "abul2003",
            "karat_lab.abul2003",
        ),
        Experiment(
            "banerjee2004-figure1",
            "Bounds of single starts of k-means and spherical k-means",
            "banerjee2004 figure 1",
            "karat_lab.banerjee2004",
        ),
        Experiment(
            "banerjee2004-figure2",
            "Bounds of k-means and spherical k-means over k = 2..20, best of ten starts",
            "banerjee2004 figure 2",
            "karat_lab.banerjee2004",
        ),
        Experiment(
            "banerjee2004-figure3",
            "Bounds of six clusterers on eleven text collections, best over k and starts",
            "banerjee2004 figure 3",
            "karat_lab.banerjee2004",
        ),
        Experiment(
            "banerjee2004-figure4",
            "Best bounds for five splits: classic2, classic3, cmu-different",
            "banerjee2004 figure 4",
            "karat_lab.banerjee2004",
        ),
        Experiment(
            "banerjee2004-figure5",
            "Best bounds for five splits: cmu-same, cmu-newsgroup-clean",
            "banerjee2004 figure 5",
            "karat_lab.banerjee2004",
        ),
        Experiment(
            "banerjee2004-figure6",
            "Four description languages on eleven text collections, on average",
            "banerjee2004 figure 6",
            "karat_lab.banerjee2004",
        ),
        Experiment(
            "banerjee2004-mixtures",
            "Where EM of von Mises–Fisher mixtures takes the clusters of spherical k-means",
            "karat",
            "karat_lab.banerjee2004_mixtures",
        ),
        Experiment(
            "bound-coverage",
            "How often the test error exceeds its PAC-MDL bound, over random splits",
            "banerjee2004 theorem 1",
            "karat_lab.bound_coverage",
        ),
        Experiment(
            "choice",
            "Ways of choosing without labels, each collection left out; trains the judge",
            "karat",
            "karat_lab.choice",
        ),
        Experiment(
            "choice-candidates",
            "What each clusterer of the default sweep is worth to the choice",
            "karat",
            "karat_lab.choice_candidates",
        ),
        Experiment(
            "choice-plain",
            "Ways of choosing on plain sub-tasks of the real tables, each collection left out",
            "karat",
            "karat_lab.choice_plain",
        ),
        Experiment(
            "clarity-combination",
            "A clarity-based measure chosen on synthetic data, and its Kendall's tau on real data",
            "karat",
            "karat_lab.clarity_combination",
        ),
        Experiment(
            "clarity-intervals",
            "How often the intervals of clarity by reading cover the score of a known reader",
            "karat",
            "karat_lab.clarity_intervals",
        ),
        Experiment(
            "map-of-measures",
            "Which internal measures say the same, and which are near the truth on what data",
            "karat",
            "karat_lab.map_of_measures",
        ),
        Experiment(
            "inference-levels",
            "How often tests of differences between clusters reject, with and without clusters",
            "karat",
            "karat_lab.inference_levels",
        ),
        Experiment(
            "internal-chance",
            "Rankings of clusterings by internal measures, as they are and corrected for chance",
            "whissell2012 section 4.8",
            "karat_lab.internal_chance",
        ),
        Experiment(
            "manning2008-table16.2",
            "Purity, NMI, Rand index and F5 of the clustering in figure 16.4",
            "manning2008 table 16.2",
            "karat_lab.manning2008",
        ),
        Experiment(
            "manning2008-exercise",
            "The same with every point doubled: which measures change",
            "manning2008 §16.3, exercise",
            "karat_lab.manning2008",
        ),
        Experiment(
            "measure-properties",
            "Which properties each measure of the catalogue has, by a search for counterexamples",
            "karat",
            "karat_lab.whissell2012_chapter4",
        ),
        Experiment(
            "measure-times",
            "How the time of the measures of table 4.1 grows with objects and clusters",
            "whissell2012 table 4.1",
            "karat_lab.whissell2012_chapter4",
        ),
        Experiment(
            "number-of-clusters",
            "How often estimators of the number of clusters find that of the classes, on 40 sets",
            "karat",
            "karat_lab.number_of_clusters",
        ),
        Experiment(
            "whissell2012-equation2.7",
            "Kullback–Leibler and Jensen–Shannon divergences as printed and as distances",
            "whissell2012 equations 2.7 to 2.9",
            "karat_lab.whissell2012_examples",
        ),
        Experiment(
            "whissell2012-figure6.1",
            "Clarity of clusterings by colour, edges, shape and nothing",
            "whissell2012 figures 6.1 to 6.3",
            "karat_lab.whissell2012_examples",
        ),
        Experiment(
            "whissell2012-section6.3.5",
            "What the clusterings that measures choose look like",
            "whissell2012 section 6.3.5, figures 6.7 to 6.10",
            "karat_lab.whissell2012_chosen",
        ),
        Experiment(
            "alternatives",
            "How often two planted partitions are found as two, one as one, none as none",
            "karat",
            "karat_lab.alternatives",
        ),
        Experiment(
            "structure",
            "What data of 44 kinds, with clusters and without, and real tables are said to have",
            "karat",
            "karat_lab.structure",
        ),
        Experiment(
            "whissell2012-table4.1",
            "Properties of measures: each published cell beside what a search finds",
            "whissell2012 table 4.1",
            "karat_lab.whissell2012_chapter4",
        ),
        Experiment(
            "whissell2012-figure5.1",
            "Share of nearest neighbours of the same class under five weights of terms",
            "whissell2012 figure 5.1",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-figure5.2",
            "UPGMA under BM25-tf-idf while k1 goes from 0 to 100",
            "whissell2012 figure 5.2",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.3",
            "What idf adds to tf, by collection, over seventeen clusterers",
            "whissell2012 table 5.3",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.4",
            "The best clusterer of each collection with tf and with tf-idf",
            "whissell2012 table 5.4",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.5",
            "What idf adds to tf, by clusterer",
            "whissell2012 table 5.5",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.6",
            "Clusterers ranked by four measures, with tf",
            "whissell2012 table 5.6",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.7",
            "Clusterers ranked by four measures, with tf-idf",
            "whissell2012 table 5.7",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.8",
            "Kendall's tau between these eight rankings",
            "whissell2012 table 5.8",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.9",
            "The best clusterer of each collection with tf and with binary weights",
            "whissell2012 table 5.9",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.10",
            "What BM25 adds to tf, by collection",
            "whissell2012 table 5.10",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.11",
            "What BM25 adds to tf-idf, by collection",
            "whissell2012 table 5.11",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.12",
            "What BM25 adds to tf, by clusterer",
            "whissell2012 table 5.12",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.13",
            "What BM25 adds to tf-idf, by clusterer",
            "whissell2012 table 5.13",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table5.14",
            "What idf adds to BM25, by clusterer",
            "whissell2012 table 5.14",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-lemmas",
            "Lemmas on informativeness and the order of the PAC-MDL bound, over all small cases",
            "whissell2012 lemmas 3 to 6",
            "karat_lab.whissell2012_lemmas",
        ),
        Experiment(
            "whissell2012-chapter5-fresh",
            "Chapter 5 asked again: does BM25 help, who leads, on seven other collections",
            "karat",
            "karat_lab.whissell2012_chapter5",
        ),
        Experiment(
            "whissell2012-table6.1",
            "Kendall's tau of ten internal measures with NMI on five synthetic data sets",
            "whissell2012 table 6.1",
            "karat_lab.whissell2012_chapter6",
        ),
        Experiment(
            "whissell2012-table6.2",
            "The number of clusters that ten internal measures choose on the same samples",
            "whissell2012 table 6.2",
            "karat_lab.whissell2012_chapter6",
        ),
        Experiment(
            "whissell2012-table6.4",
            "Kendall's tau of ten internal measures with NMI on five real data sets",
            "whissell2012 table 6.4",
            "karat_lab.whissell2012_chapter6",
        ),
        Experiment(
            "whissell2012-table7.2",
            "Purity of five clusterers on e-mails, k = 2 to 50",
            "whissell2012 table 7.2",
            "karat_lab.whissell2012_chapter7",
        ),
        Experiment(
            "whissell2012-table7.3",
            "Spam filters from a few labels: measures compared on trec07p",
            "whissell2012 table 7.3",
            "karat_lab.whissell2012_chapter7",
        ),
        Experiment(
            "whissell2012-table7.4",
            "The same on spamassassin and lingspam",
            "whissell2012 table 7.4",
            "karat_lab.whissell2012_chapter7",
        ),
        Experiment(
            "whissell2012-table7.5",
            "Spam filters from medoids alone and from full clusters compared",
            "whissell2012 table 7.5",
            "karat_lab.whissell2012_chapter7",
        ),
        Experiment(
            "whissell2012-figure7.2",
            "Gain of medoid labels over random labels, k = 2 to 50",
            "whissell2012 figures 7.2 and 7.3",
            "karat_lab.whissell2012_chapter7",
        ),
        Experiment(
            "whissell2012-figure7.4",
            "The filters by informativeness, and other ways to spend the labels",
            "whissell2012 figure 7.4",
            "karat_lab.whissell2012_chapter7",
        ),
    ),
)


def run(
    name: str,
    *,
    samples: int | None = None,
    random_state: Any = 0,
    storage: Any = None,
    progress: Callable[[str], None] | None = None,
    data: Any = None,
) -> ExperimentResult:
    """Run one experiment.

    Parameters
    ----------
    name : str
        A key of ``EXPERIMENTS``.
    samples : int, optional
        A smaller number of repetitions, for a quick look; each experiment says of what.
    random_state : int, Generator or None
        The seed.
    storage : path, optional
        Where finished work is kept.
    progress : callable, optional
        Called with a line of text now and then.
    data : path, optional
        The folder of the data sets; see :mod:`karat_lab.data`.

    Returns
    -------
    ExperimentResult

    Raises
    ------
    InputError
        If no experiment has this name, or a data set that it needs is not there.
    """
    from karat_lab.data import data_in

    module = import_module(EXPERIMENTS[name].module)
    with data_in(data):
        result: ExperimentResult = module.run(
            name=name,
            samples=samples,
            random_state=random_state,
            storage=storage,
            progress=progress,
        )
    return result

"""Clarity by reading: names from a few members, then unseen objects assigned to the names."""

from __future__ import annotations

from typing import Any

from karat.datasets import Dataset
from karat.labeling.reading.interview import Interview, Reader, name_of
from karat.labeling.reading.rounds import draw_round
from karat.labeling.reading.score import ClarityByReading
from karat.labeling.reading.shown import shown_by
from karat.labelings.labels import encode


def clarity_by_reading(
    objects: Any,
    labels: Any,
    reader: Reader,
    *,
    n_assignments: int = 30,
    by: str | None = None,
    answers: Any = None,
    max_calls: int | None = None,
    random_state: int = 0,
) -> ClarityByReading:
    """How well a reader reproduces a clustering from names: clarity by a person or a model.

    From six members of each cluster (of a Dataset three central and three random ones, otherwise
    random ones) the reader gives it a name and a line. Then unseen objects, as many of each
    cluster, come in random order without their clusters, and are assigned to the names, or to none.

    Parameters
    ----------
    objects : Dataset, DataFrame, array-like or sequence of length n
        What is shown: texts, rows by the names of their features, a Dataset's texts or features in
        original units, paths of images or mappings.
    labels : array-like, shape (n,)
        Cluster of each object; outliers (-1) take no part.
    reader : callable
        From a prompt (str) to an answer (str): any client of a language model, or rules.
    n_assignments : int, default 30
        Objects to be assigned.
    by : str, optional
        Who it is, the model's name and version, say; by default the name of the function.
    answers : path or Study, optional
        Where answers are kept as soon as they are there, so that none is asked for again.
    max_calls : int, optional
        The most calls of the reader. What is not asked has no answer.
    random_state : int, default 0

    Returns
    -------
    ClarityByReading
        ``score`` is 1 for a reader who assigns every object as the clustering does, and 0 on
        average for one who assigns at random; ``interval`` misses with a probability of at most
        0.1.

    Raises
    ------
    InputError
        For fewer than two clusters of two objects, other numbers of objects and labels, or a
        reader that never answers.

    See Also
    --------
    karat.informativeness : clarity by classifiers.

    Notes
    -----
    The protocol follows Hoyle, Calvo-Bartolome, Boyd-Graber & Resnik (2025), ProxAnn; clarity is
    that of whissell2012 chapter 6, how well people put unseen objects into the clusters. The score
    is (p - 1/k)/(1 - 1/k), where p is the share of hits and k the number of clusters; with as many
    objects of each cluster and no answer of none it is Cohen's kappa. None is a miss: a reader who
    always says none scores -1/(k - 1). An answer that cannot be understood, and a call that
    fails, is asked for up to three times; then the object has no answer and does not count.

    The interval is Clopper and Pearson's for p over the draw of the objects, which is exact for
    draws with replacement and conservative for this one, with as many of each cluster (Hoeffding
    1956). It takes the names as given: another round names anew.

    Examples
    --------
    >>> import karat
    >>> def reader(prompt):
    ...     if "belong?" not in prompt:
    ...         return "pets" if "dog" in prompt.split("other groups:")[0] else "fruit"
    ...     return "pets" if "dog" in prompt.split("<object>")[-1] else "fruit"
    >>> texts = [f"dog {i}" for i in range(20)] + [f"pear {i}" for i in range(20)]
    >>> found = karat.clarity_by_reading(texts, [0] * 20 + [1] * 20, reader, by="rules")
    >>> found.score, sorted(found.cluster_names.items())
    (1.0, [(0, 'pets'), (1, 'fruit')])
    """
    n = len(encode(labels).codes)
    dataset = isinstance(objects, Dataset)
    X, metric = (objects.X, objects.metric) if dataset else (None, "euclidean")
    drawn = draw_round(
        shown_by(objects, n), labels, n_assignments, X=X, metric=metric, random_state=random_state
    )
    interview = Interview(reader, by or name_of(reader), answers, max_calls)
    said = interview.go_through(drawn)
    return drawn.read(said, interview.name, cost=interview.cost)

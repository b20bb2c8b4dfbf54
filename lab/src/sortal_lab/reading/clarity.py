"""Clarity by reading: names from a few members, then unseen objects assigned to the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortal.datasets import Dataset
from sortal.labelings import encode
from sortal_lab.reading.display import Showable, shown_by
from sortal_lab.reading.interview import AnswerStore, Interview, Reader
from sortal_lab.reading.rounds import draw_round
from sortal_lab.reading.score import ClarityByReading

if TYPE_CHECKING:
    from sortal.typing import Labels


def clarity_by_reading(
    objects: Showable,
    labels: Labels,
    reader: Reader,
    *,
    n_assignments: int | None = None,
    by: str | None = None,
    answers: AnswerStore = None,
    max_calls: int | None = None,
    n_parallel: int = 1,
    short: bool = False,
    random_state: int = 0,
) -> ClarityByReading:
    """Clarity by a person or a model: how well a reader reproduces a clustering from names.

    From six members of each cluster (of a Dataset three central and three random ones, otherwise
    random ones) the reader gives it a name and a line. Then unseen objects, equally many of each
    cluster, come in random order without their clusters. The reader assigns each to a name, or to
    none.

    Parameters
    ----------
    objects : Dataset, DataFrame, array-like or sequence of length n
        The objects to show: texts, rows by the names of their features, a Dataset's texts or
        features in original units, paths of images or mappings.
    labels : array-like, shape (n,)
        Cluster of each object; outliers (-1) take no part.
    reader : callable or str
        From a prompt (str) to an answer (str): any client of a language model, or rules. Or a model
        on a server with OpenAI's interface, ``"openai:MODEL@URL"``
        (:class:`sortal_lab.reading.ChatModel`).
    n_assignments : int, default 30, or 10 in a short round
        Objects to be assigned.
    by : str, optional
        The reader's name, such as a model's name and version; by default the function's name.
    answers : path or Study, optional
        Where every answer is stored at once, so that no question is asked again.
    max_calls : int, optional
        Maximum number of calls of the reader. Further questions have no answer.
    n_parallel : int, default 1
        Questions asked at a time, where the reader allows it. With ``max_calls`` it is one.
    short : bool, default False
        Three members of each cluster, and texts cut to what a person reads in five minutes.
    random_state : int, default 0

    Returns
    -------
    ClarityByReading
        ``score`` is 1 if the reader assigns every object as the clustering does, and 0 on average
        for random assignments. ``interval`` misses with a chance of at most 0.1.

    Raises
    ------
    InputError
        For fewer than two clusters of two objects, other numbers of objects and labels, or a
        reader that never answers.

    See Also
    --------
    sortal.informativeness : Clarity by classifiers.

    Notes
    -----
    The protocol follows Hoyle, Calvo-Bartolome, Boyd-Graber & Resnik (2025), ProxAnn; clarity is
    that of whissell2012 chapter 6, how well people put unseen objects into the clusters. The score
    is (p - 1/k)/(1 - 1/k), where p is the share of hits and k the number of clusters. With equally
    many objects of each cluster and no answer of none it is Cohen's kappa. None is a miss: a reader
    who always says none scores -1/(k - 1). After an answer that cannot be understood, or a call
    that fails, the question is asked again, three times in all. Then the object has no answer and
    does not count.

    The interval is Clopper and Pearson's for p over the draw of the objects. It is exact for draws
    with replacement and conservative for this one, with equally many of each cluster (Hoeffding
    1956). It takes the names as fixed; another round would bring other names.

    Examples
    --------
    >>> from sortal_lab.reading import clarity_by_reading
    >>> def reader(prompt):
    ...     if "belong?" not in prompt:
    ...         return "pets" if "dog" in prompt.split("other groups:")[0] else "fruit"
    ...     return "pets" if "dog" in prompt.split("<object>")[-1] else "fruit"
    >>> texts = [f"dog {i}" for i in range(20)] + [f"pear {i}" for i in range(20)]
    >>> clarity = clarity_by_reading(texts, [0] * 20 + [1] * 20, reader, by="rules")
    >>> clarity.score, sorted(clarity.cluster_names.items())
    (1.0, [(0, 'pets'), (1, 'fruit')])
    """
    n = len(encode(labels).codes)
    X, metric = None, "euclidean"
    if isinstance(objects, Dataset):
        X, metric = objects.X, objects.metric
    drawn = draw_round(
        shown_by(objects, n), labels, n_assignments,
        X=X, metric=metric, random_state=random_state, short=short,
    )  # fmt: skip
    interview = Interview(reader, by, answers, max_calls, n_parallel)
    given_answers = interview.go_through(drawn)
    return drawn.read(given_answers, interview.name, cost=interview.cost)

"""Yardstick: guarantees of classifiers trained on part of the labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds.classes import known_classes
from karat.bounds.tails import b_max, check_delta, log_level
from karat.runtime.validation import InputError, check_data, check_random_state

if TYPE_CHECKING:
    import pandas as pd

    from karat.runtime.types import ArrayLike, Ints, Labels, RandomState, Rows


def binomial_tail_bound(n_tested: int, errors: int, delta: float) -> float:
    """Largest error rate that so few errors on independent test objects do not rule out.

    ``max{p : P[Binomial(n, p) <= errors] >= delta}``, the exact test-set bound.

    Parameters
    ----------
    n_tested, errors : int
        ``0 <= errors <= n_tested``.
    delta : float
        Allowed chance that the bound fails, in (0, 1].

    Returns
    -------
    float
        In [0, 1]; lower is better. 1 where nothing was tested.

    Raises
    ------
    InputError
        For numbers out of range.

    Notes
    -----
    The quantile 1 − delta of the Beta(errors + 1, n − errors) distribution (Clopper & Pearson
    1934, one-sided).

    Examples
    --------
    >>> from karat.bounds import binomial_tail_bound
    >>> round(binomial_tail_bound(100, 0, 0.05), 4)
    0.0295
    """
    from scipy.special import betainccinv

    if not 0 <= errors <= n_tested:
        raise InputError(f"errors must be between 0 and n_tested; got {errors} of {n_tested}")
    check_delta(delta)
    if errors == n_tested:
        return 1.0
    bound = float(betainccinv(errors + 1, n_tested - errors, delta))
    return bound if math.isfinite(bound) else 1.0  # SciPy's inverse fails near delta = 1e-300


def supervised_yardstick(
    X: ArrayLike,
    y: Labels,
    delta: float = 0.1,
    *,
    classifiers: Mapping[str, Any] | None = None,
    random_state: RandomState = 0,
) -> pd.DataFrame:
    """Bounds of classifiers trained on half of the labels and tested on the other half.

    The table shows whether clustering is worthwhile: with few labels the bound of a clustering is
    often lower, since it needs no labels for training.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data.
    y : array-like, shape (n,)
        Known classes; None, NaN or ``-1`` elsewhere. Drawn at random.
    delta : float, default 0.1
        Allowed chance that the guarantee fails; shared evenly by the classifiers, so that the
        best may be chosen.
    classifiers : mapping of str to estimator, optional
        scikit-learn classifiers. By default ``"5-nearest-neighbours"`` and
        ``"logistic-regression"``, on standardised features.
    random_state : int, Generator or None
        Seed of the split of the labels.

    Returns
    -------
    DataFrame
        One row a classifier: ``trained`` and ``tested`` (labels), ``errors`` on the tested,
        ``bound`` (errors among the unlabelled) and ``bound_rate``, comparable with
        :class:`PacMdlBound`; ``binomial_rate``, the bound on the error rate of new objects from
        the same source (:func:`binomial_tail_bound`).

    Raises
    ------
    InputError
        If fewer than two objects are labelled.

    Notes
    -----
    The tested objects are a uniform draw from all that were not trained on, so
    :func:`karat.bounds.b_max` bounds the errors on the unlabelled ones, at ``delta`` divided by
    the number of classifiers.

    Examples
    --------
    >>> import karat
    >>> X = [[i // 200 * 5.0 + i % 7] for i in range(400)]
    >>> y = [None] * 400
    >>> for i in karat.bounds.sample(400, 60, random_state=0): y[i] = i // 200
    >>> table = karat.bounds.supervised_yardstick(X, y)
    >>> table[["trained", "tested"]].iloc[0].tolist()
    [30, 30]
    """
    import pandas as pd
    from sklearn.base import clone

    data = check_data(X)
    N = data.shape[0]
    truth = known_classes(y, N)
    codes, labelled = truth.codes, truth.labelled
    check_delta(delta)
    if len(labelled) < 2:
        raise InputError("at least two labelled objects are needed: one to train, one to test")
    tested = round(len(labelled) / 2)
    shuffled = check_random_state(random_state).permutation(labelled)
    test, train = shuffled[:tested], shuffled[tested:]
    models = _default_classifiers(data, len(train)) if classifiers is None else dict(classifiers)
    n = N - len(labelled)
    share = delta / len(models)
    rows = {}
    for name, model in models.items():
        errors = _test_errors(clone(model), data, codes, train, test)
        bound = b_max(tested, n, errors, log_delta=log_level(share))
        rows[name] = {
            "trained": len(train),
            "tested": tested,
            "errors": errors,
            "bound": bound,
            "bound_rate": bound / n if n else 0.0,
            "binomial_rate": binomial_tail_bound(tested, errors, share),
        }
    return pd.DataFrame.from_dict(rows, orient="index").astype(
        dict.fromkeys(("trained", "tested", "errors", "bound"), np.int64)
    )


def _test_errors(model: Any, data: Rows, y: Ints, train: Ints, test: Ints) -> int:
    """Errors on the test objects of a model fitted to the training objects."""
    classes = np.unique(y[train])
    if len(classes) == 1:
        return int((y[test] != classes[0]).sum())
    model.fit(data[train], y[train])
    return int((model.predict(data[test]) != y[test]).sum())


def _default_classifiers(data: Rows, n_train: int) -> dict[str, Any]:
    """Nearest neighbours and logistic regression on standardised features, by name."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler(with_mean=not sparse.issparse(data))
    return {
        "5-nearest-neighbours": make_pipeline(scaler, KNeighborsClassifier(min(5, n_train))),
        "logistic-regression": make_pipeline(scaler, LogisticRegression(max_iter=1000)),
    }

"""Whether the clusters of a study differ, valid for all that the study did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import from_array
from karat.inference import FAMILIES, Differences, compared, premises_of, thin
from karat.runtime.validation import InputError, check_choice
from karat.study.notes import last_noted, noted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.study.study import Study

KEY = "differences"


def differences(
    study: Study, family: str = "gaussian", *, scale: Any = None, share: float = 0.5
) -> Differences:
    """Test which clusters differ, and in which features, although the data chose the clusters.

    The values are thinned into two independent parts. All that the study did is done again with the
    first part, from the scaling of the features to the choice; the second part says whether the
    clusters found there differ.

    Parameters
    ----------
    family : {"gaussian", "poisson", "negative binomial", "binomial"}
        How a value varies about its mean.
    scale : float, array-like or "mixture", optional
        What is known of that, in the units of the data, see :func:`karat.inference.thin`.
    share : float, default 0.5
        The share of each value that is clustered.

    Returns
    -------
    Differences
        ``labels`` are the clusters of the first part, not those of :meth:`best`. Kept in the study:
        the report shows it.

    Raises
    ------
    InputError
        Where nothing valid is known, see :func:`why_untested`, and for values that the family does
        not have.

    See Also
    --------
    karat.inference.differences : For a clusterer of your own.
    karat.inference.more_than_one : Without a model of how values vary.

    Notes
    -----
    Classes and constraints have no part in the choice. It takes as long as the sweep did.

    Examples
    --------
    >>> import numpy as np, karat
    >>> X = np.random.default_rng(0).poisson(np.repeat([[5, 9], [30, 9]], 40, axis=0))
    >>> study = karat.Study(X)
    >>> study.sweep(["kmeans", "ward"], k=[2, 3])
    >>> study.differences("poisson").p_value < 0.001
    True
    """
    given = scale if scale is None or isinstance(scale, str) else np.asarray(scale).tolist()
    question = {"record": study.record.digest(), "family": family, "scale": given, "share": share}

    def test() -> Differences:
        first, second = study_parts(study, family, scale=scale, share=share)
        premises = premises_of(family, scale)
        aside = {"classes": study.truth, "constraints": study.settings.constraints}
        known = [name for name, value in aside.items() if value is not None]
        if known:
            premises += (f"The clusters were chosen without the {' and '.join(known)}.",)
        names = list(study.dataset.feature_names)
        return compared(first, second, _chosen_again(study, first), names, premises)

    found: Differences = noted(study, KEY, question, test)
    return found


def study_parts(
    study: Study, family: str, *, scale: Any = None, share: float = 0.5
) -> tuple[Any, Any]:
    """The data of a study thinned, in their own units; an InputError where that is not valid."""
    check_choice(family, FAMILIES, "family")
    why = why_untested(study)
    if why is not None:
        raise InputError(f"there is no valid test of differences here: {why}")
    data = study.dataset
    values: Any = study.X if isinstance(study.X, np.ndarray) else study.X.toarray()
    if data.scale is not None:
        values = values * data.scale + (0.0 if data.center is None else data.center)
        if family != "gaussian":
            values = np.where(np.abs(values - np.round(values)) < 1e-6, np.round(values), values)
    seed = study.settings.random_state
    return thin(values, family, scale=scale, share=share, random_state=seed)


def kept_differences(study: Study) -> Differences | None:
    """What :func:`differences` said last; None where the study was not asked, or changed since."""
    question, found = last_noted(study, KEY)
    return found if question and question["record"] == study.record.digest() else None


def why_untested(study: Study) -> str | None:
    """Why no valid test of differences is known for a study; None where there may be one."""
    data = study.dataset
    if data.n_features == 0 or not isinstance(study.metric, str):
        return "the objects are known by their distances, of whose variation nothing is known"
    if data.of_documents:
        return "weighted terms do not vary in a known way"
    if any(kind == "add" for kind, _ in study.record):
        return "clusterings made elsewhere cannot be made again with a part of the values"
    columns = () if data.preparation is None else data.preparation.columns
    categories = [one.name for one in columns if one.categories]
    if categories:
        return f"categories ({', '.join(categories[:3])}) do not vary about a mean"
    if data.plan is not None and data.plan.impute is not None:
        return "missing values were filled in, and do not vary as the others do"
    return None


def _chosen_again(study: Study, X: Any) -> NDArray[Any]:
    """The labels that the sweeps and the choice of a study give for other values."""
    from karat.study.study import Study

    data, settings = study.dataset, study.settings
    how: Any = "none"
    if data.scale is not None:
        how = "standard" if data.plan is None else data.plan.scale
    part = from_array(X, feature_names=data.feature_names, scale=how, name=data.name)
    with Study(
        part, metric=study.metric, noise=settings.noise, exact=settings.exact,
        random_state=settings.random_state, by=None if study.truth is not None else settings.by,
    ) as again:  # fmt: skip
        again.record.change_judge(study.judge)
        for sweep in study.record.sweeps:
            known = {one["key"]: study.fits.known.get(one["key"]) for one in sweep["clusterers"]}
            again.sweep(
                [known[key] or key for key in known], k=sweep["k"], grid=sweep["grid"],
                n_init=sweep["n_init"], progress=False,
            )  # fmt: skip
        again.evaluate(progress=False)
        return np.asarray(again.best(stability=False, second_sample=False).labels)

"""PAC-MDL bound of clusterings."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import wording
from sortal.bounds.classes import Classes, KnownClasses, known_classes
from sortal.bounds.confidence_sequence import b_always
from sortal.bounds.languages import Language, Mixed, log2_factorials, log2_spreads
from sortal.bounds.sampling import doubted_draw, sampling_warnings
from sortal.bounds.skipped import NONE_SKIPPED, Skipped
from sortal.bounds.tails import b_max, check_delta, log_level
from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.labelings.partitions import Labelings, as_labelings
from sortal.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.bounds.classes import Clusterings
    from sortal.bounds.sampling import Doubt
    from sortal.typing import Floats, Ints, Labels, RandomState


@dataclass(frozen=True)
class PacMdlBound(wording.Worded):
    """Guarantee that a few labels give about one clustering as a classifier.

    Attributes
    ----------
    name : str
        Name of the clustering.
    n_clusters : int
    m, n : int
        Labelled and unlabelled objects in clusters.
    errors : int
        Labelled objects whose class is not their cluster's label.
    choice_bits, label_bits : float
        Length of the description: the name of the clustering, and the labels of its clusters.
    bound : int
        Guaranteed maximum number of mislabelled unlabelled objects, with probability at least
        ``1 - delta``.
    delta : float
        Allowed chance that the bound fails.
    language : str
        The description language.
    constant_class : object
        The most common class among the labelled objects.
    constant_error_rate : float
        Share of the labelled objects of other classes: the error rate of this class for all.
    cluster_labels : dict
        Class of each cluster, by the user's cluster names.
    predicted : ndarray of object, shape (objects,)
        Predicted class of each object; None where the clustering excludes it.
    n_compared : int
        Number of clusterings compared.
    warnings : tuple of str
        Reasons to doubt the guarantee.
    premises : tuple of str
        Premises of the guarantee.
    labels_read : str
        Number of labels read, by class.
    refused : str
        Reason why nothing is guaranteed if the labelled objects are no random draw, else empty.
    """

    name: str
    n_clusters: int
    m: int
    n: int
    errors: int
    choice_bits: float
    label_bits: float
    bound: int
    delta: float
    language: str
    constant_class: Any
    constant_error_rate: float
    cluster_labels: dict[Any, Any] = field(repr=False)
    predicted: NDArray[np.object_] = field(repr=False, compare=False)
    n_compared: int = 1
    warnings: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    labels_read: str = ""
    refused: str = ""

    @property
    def bits(self) -> float:
        """Length of the whole description."""
        return self.choice_bits + self.label_bits

    @property
    def method(self) -> str:
        """Name of this component in a :class:`Guarantee`."""
        return "pac-mdl"

    @property
    def reason(self) -> str:
        """Composition of the bound, in words."""
        return wording.reason_of_description(self)


@dataclass(frozen=True)
class PacMdlBounds:
    """Bounds of many clusterings that all hold at once.

    Attributes
    ----------
    table : DataFrame
        One row a clustering:

        - ``n_clusters``, ``labelled``, ``unlabelled``, ``errors``
        - ``excluded``: unlabelled objects outside every cluster, with ``noise="drop"``; they do not
          count as ``unlabelled``
        - ``choice_bits``, ``label_bits``, and their sum ``bits``
        - ``bound`` (a count) and ``bound_rate``
        - ``constant_error_rate``, if every object had the most common class
    kraft : float
        Sum of 2^-choice_bits: the best clustering may be named only if it is at most 1.
    warnings, premises : tuple of str
        Reasons to doubt the guarantees, and their premises.
    labels_read : str
        Number of labels read, by class.
    refused : str
        Reason why nothing is guaranteed if the labelled objects are no random draw, else empty.
    """

    table: pd.DataFrame
    delta: float
    language: str
    kraft: float
    warnings: tuple[str, ...]
    premises: tuple[str, ...]
    labels_read: str
    labelings: Labelings = field(repr=False)
    #: class codes of the clusters of each clustering, and names of the classes
    cluster_classes: list[Ints] = field(repr=False)
    classes: tuple[Any, ...] = field(repr=False)
    #: most common class of the labelled objects of each clustering
    constants: Ints = field(repr=False)
    refused: str = ""

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, which: int | str) -> PacMdlBound:
        """One clustering's bound, by position or by name."""
        names = self.labelings.names
        if isinstance(which, str):
            if which not in names:
                raise InputError(f"no clustering is called {which!r}; there are {', '.join(names)}")
            which = names.index(which)
        row, labels = self.table.iloc[which], self.cluster_classes[which]
        codes = self.labelings.codes[which]
        classes = np.array([*self.classes, None], dtype=object)
        return PacMdlBound(
            name=names[which],
            n_clusters=int(row["n_clusters"]),
            m=int(row["labelled"]),
            n=int(row["unlabelled"]),
            errors=int(row["errors"]),
            choice_bits=float(row["choice_bits"]),
            label_bits=float(row["label_bits"]),
            bound=int(row["bound"]),
            delta=self.delta,
            language=self.language,
            constant_class=self.classes[self.constants[which]],
            constant_error_rate=float(row["constant_error_rate"]),
            cluster_labels=dict(
                zip(self.labelings.cluster_names[which], classes[labels], strict=True)
            ),
            predicted=classes[np.where(codes == NOISE, -1, labels[codes])],
            n_compared=len(self),
            warnings=self.warnings,
            premises=self.premises,
            labels_read=self.labels_read,
            refused=self.refused,
        )

    def at_every_number(self, skipped: Skipped = NONE_SKIPPED) -> PacMdlBounds:
        """Bounds of the same descriptions and errors by confidence sequences."""
        ms, ns, errors = (self.table[c].to_numpy() for c in ("labelled", "unlabelled", "errors"))
        level = log_level(self.delta, self.table["bits"].to_numpy())
        bounds = skipped.bound(b_always, ms, ns, errors, log_delta=level)
        table = self.table.assign(bound=bounds, bound_rate=bounds / np.maximum(ns, 1))
        return replace(self, table=table)

    def after(self, doubt: Doubt | None, tested: Labelings | None = None) -> PacMdlBounds:
        """Bounds after the test of the draw: unchanged, with a warning, or refused."""
        if doubt is None:
            return self
        reason = wording.doubt(doubt, self.labelings if tested is None else tested)
        if not doubt.refuses:
            return replace(self, warnings=(*self.warnings, reason))
        return self.refusing(reason)

    def refusing(self, reason: str) -> PacMdlBounds:
        """Bounds without content for this reason; unchanged if it is empty or not the first."""
        if not reason or self.refused:
            return self
        table = self.table.assign(bound=self.table["unlabelled"], bound_rate=1.0)
        return replace(self, table=table, refused=reason)

    @property
    def best(self) -> PacMdlBound:
        """The clustering with the lowest bound; ties: fewer errors, then fewer bits.

        Unlabelled objects that a clustering excludes count as mislabelled.

        Raises
        ------
        InputError
            If the language does not charge enough for choosing among so many.
        """
        if self.kraft > 1 + 1e-9:
            raise InputError(
                f"the language {self.language} does not pay for choosing among these "
                f"{len(self)} clusterings (their shares sum to {self.kraft:.4g}, more than 1): "
                "each bound holds alone, the lowest of them need not. Use the default language, "
                "Init, Cluster or Algo with the right counts, or add "
                f"{math.log2(self.kraft):.3g} bits"
            )
        return self[self.lowest]

    @property
    def lowest(self) -> int:
        """Position of the best clustering."""
        wrong = self.table["bound"] + self.table["excluded"]
        return int(np.lexsort([self.table["bits"], self.table["errors"], wrong])[0])

    def __str__(self) -> str:
        table = self.table.to_string(float_format=lambda value: f"{value:.4g}")
        return "\n".join([table, *(f"Warning: {warning}." for warning in self.warnings)])

    def _repr_html_(self) -> str:
        """Table and warnings as HTML."""
        doubts = "".join(f"<p>Warning: {html.escape(w)}.</p>" for w in self.warnings)
        return f"{self.table.to_html()}{doubts}"


def pac_mdl_bound(
    labels: Clusterings,
    y: Labels,
    delta: float = 0.1,
    language: Language | None = None,
    *,
    classes: Classes = None,
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
) -> PacMdlBound | PacMdlBounds:
    """Bound the errors of a clustering as a classifier, from a few labels.

    Each cluster gets the class of its labelled objects. With probability at least ``1 - delta``
    over the draw of the labelled objects, no more than ``bound`` of the unlabelled ones have
    another class than their cluster.

    Parameters
    ----------
    labels : array-like (n,) or (M, n), mapping, DataFrame
        One clustering of all objects, labelled and not, or many. They must have been made
        without the labels. To choose among several, give them together: otherwise the bound does
        not cover the choice.
    y : array-like, shape (n,)
        The known classes; None, NaN or ``-1`` elsewhere. Which objects are labelled must have
        been drawn uniformly at random (:func:`sortal.bounds.sample`).
    delta : float, default 0.1
        Allowed chance that the guarantee fails, in (0, 1].
    language : Language, optional
        A description language of :mod:`sortal.bounds.languages`. By default
        :class:`~sortal.bounds.languages.Mixed`, which charges log2(M) bits for choosing among M
        clusterings (equal partitions share theirs) and writes cluster labels by a mixture
        of five codes.
    classes : iterable, int or "open", optional
        All classes that a labeller could have used, known beforehand, or their number. The default
        ``"open"`` needs neither and charges for the classes seen.
    noise : {"error", "cluster", "singletons", "drop"}
        What the cluster label ``-1`` means; with ``"drop"`` the bound is about the objects in
        clusters.
    random_state : int, Generator or None
        Seed for the class of a cluster with several equally common classes or without labels.

    Returns
    -------
    PacMdlBound or PacMdlBounds
        The latter for (M, n), mappings, tables and lists of clusterings. Lower bounds are
        better; rates are in [0, 1].

    Raises
    ------
    InputError
        If no object is labelled, a label is not among ``classes``, ``delta`` is not in (0, 1],
        or the language has no word for a clustering.

    See Also
    --------
    sortal.guarantee : The lowest of several bounds, this one among them.

    Notes
    -----
    banerjee2004, theorem 1, in its transductive form: all m + n objects are fixed, and chance is
    only in which m of them were labelled; proofs are on the page about the guarantee. The choice
    may look at the labels; the clusterings, the language, the number of labels and the list of
    classes may not. An open list is paid for: ℓ classes with n_t objects each have the share
    ∏ n_t / (C(m+n, ℓ)·ℓ(ℓ+1)), and a tenth of delta bounds the n_t. To label until the bound is low
    enough is to choose the best of many bounds, which :func:`sortal.guarantee` with
    ``anytime=True`` pays for. Levels are rounded down by one part in 10^12, so that floating
    point never tightens a bound. To tell two classes apart takes a bit, so the level of a bound
    with errors is at most 1/2. If the bound is the truth, as many errors then have a chance of at
    least 1/2, so a bound cannot contradict its own errors. O(M·(n + ℓ·c²)) time at most.

    Examples
    --------
    >>> import sortal
    >>> labels = [0] * 500 + [1] * 500
    >>> y = [None] * 1000
    >>> for i in sortal.bounds.sample(1000, 100, random_state=3):
    ...     y[i] = "ham" if i < 500 else "spam"
    >>> bound = sortal.pac_mdl_bound(labels, y, delta=0.05)
    >>> bound.errors, bound.m, bound.n, bound.bound
    (0, 100, 900, 70)
    >>> print(bound.sentence)
    At most 7.8 % of the 900 unlabelled rows have a wrong `class`. Of twenty random draws like ...
    """
    check_delta(delta)
    batch = as_labelings(labels, noise=noise)
    truth = known_classes(batch.in_order(y), batch.n_objects, classes)
    bounds = bounds_of(batch, truth, delta, Mixed() if language is None else language, random_state)
    bounds = bounds.after(doubted_draw(batch.codes, truth.labelled))
    return bounds[0] if _is_one(labels) else bounds


def bounds_of(
    batch: Labelings,
    truth: KnownClasses,
    delta: float,
    language: Language,
    random_state: RandomState,
    *,
    once: bool = True,
    skipped: Skipped = NONE_SKIPPED,
) -> PacMdlBounds:
    """Bounds of validated input; ``once`` if the number of labels was fixed beforehand.

    Where objects were ``skipped``, the counts of the labels say nothing about those of the classes.
    """
    import pandas as pd

    from sortal._kernels import pac_mdl as kernel

    labelled, names = truth.labelled, truth.names
    raw_bits = np.asarray(language.choice_bits(batch.names, batch.n_clusters), dtype=np.float64)
    if raw_bits.shape != (len(batch),) or not (raw_bits >= 0).all():
        raise InputError(f"{language!r} must give each clustering a length of at least 0 bits")
    choice = _pooled(raw_bits, batch) if language.mixed else raw_bits
    naming = truth.bits_once(delta) if once and not skipped.count else truth.bits
    offsets = np.concatenate([[0], np.cumsum(batch.n_clusters)]).astype(np.int64)
    max_clusters = int(batch.n_clusters.max())
    rank = check_random_state(random_state).random((max_clusters, len(names)))
    rank[:, len(names) - truth.nameless :] += 1.0  # a class with a name wins a tie
    cluster_codes, errors, label_bits, ms, ns, per_class = kernel.label_clusterings(
        batch.codes, labelled, truth.codes[labelled], len(names), offsets, rank, language.mixed,
        log_level(delta, choice + naming), log2_factorials(max_clusters + len(names)),
        log2_spreads(max_clusters, len(names)),
    )  # fmt: skip
    label_bits += naming
    bound = skipped.bound(b_max, ms, ns, errors, log_delta=log_level(delta, choice + label_bits))
    columns = {
        "n_clusters": batch.n_clusters,
        "labelled": ms,
        "unlabelled": ns,
        "excluded": batch.n_objects - len(labelled) - ns,
        "errors": errors,
        "choice_bits": choice,
        "label_bits": label_bits,
        "bits": choice + label_bits,
        "bound": bound,
        "bound_rate": bound / np.maximum(ns, 1),
        "constant_error_rate": (ms - per_class.max(axis=1)) / np.maximum(ms, 1),
    }
    return PacMdlBounds(
        pd.DataFrame(columns, index=list(batch.names)),
        float(delta),
        language.name,
        float(np.exp2(-raw_bits).sum()),
        (*truth.doubts, *sampling_warnings(truth.codes >= 0, truth.codes[labelled].tolist())),
        (*truth.premises, *((wording.FIXED_NUMBER,) if once else ())),
        truth.read,
        batch,
        np.split(cluster_codes.astype(np.int64), offsets[1:-1]),
        names,
        per_class.argmax(axis=1),
    )


def _is_one(labels: Any) -> bool:
    """Whether ``labels`` is a single clustering."""
    if isinstance(labels, (Labelings, dict)) or hasattr(labels, "columns"):
        return False
    first = labels[0] if isinstance(labels, (list, tuple)) and len(labels) else None
    nested = isinstance(first, (list, np.ndarray)) or hasattr(first, "to_numpy")
    return not nested and np.ndim(labels) < 2


def _pooled(bits: Floats, batch: Labelings) -> Floats:
    """Bits after equal partitions have added up their shares."""
    from sortal._kernels.pac_mdl import rows_by_first_appearance

    if len(batch) == 1:
        return bits
    codes = batch.codes.copy()
    rows_by_first_appearance(codes, batch.n_clusters)
    groups: dict[bytes, list[int]] = {}
    for r, row in enumerate(codes):
        groups.setdefault(row.tobytes(), []).append(r)
    pooled = bits.copy()
    for rows in groups.values():
        if len(rows) == 1:
            continue
        least = bits[rows].min()
        pooled[rows] = max(0.0, least - math.log2(np.exp2(least - bits[rows]).sum()))
    return pooled

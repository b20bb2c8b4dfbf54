"""Synthetic data sets of known structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortal.extension import check_random_state, unknown_name

if TYPE_CHECKING:
    from sortal.typing import Floats, RandomState

__all__ = ["WHISSELL2012", "make_whissell2012"]

#: names of the data sets of :func:`make_whissell2012`
WHISSELL2012 = ("2GAUSS", "6GAUSS", "ELONGATED", "CUBE", "RINGS")


def make_whissell2012(
    name: str, *, random_state: RandomState = None
) -> tuple[Floats, NDArray[np.int64]]:
    """One of the five synthetic data sets of whissell2012 §6.3.1.

    Parameters
    ----------
    name : {"2GAUSS", "6GAUSS", "ELONGATED", "CUBE", "RINGS"}
        Two or six Gaussian clusters of 500 points, three thin parallel lines of 300, or eight boxes
        of 200 at the corners of a cube. ``RINGS`` has a ring of 400 inside a ring of 1,200.
    random_state : int, Generator or RandomState, optional

    Returns
    -------
    X : ndarray of float64, shape (n, 2) or (n, 3)
    labels : ndarray of int64, shape (n,)

    Raises
    ------
    InputError
        For another name.

    Examples
    --------
    >>> from sortal_lab.whissell2012_sets import make_whissell2012
    >>> X, labels = make_whissell2012("RINGS", random_state=0)
    >>> X.shape, labels.max() + 1
    ((1600, 2), np.int64(2))
    """
    if name not in WHISSELL2012:
        raise unknown_name(name, WHISSELL2012, "synthetic data set")
    rng = check_random_state(random_state)
    clusters: list[Floats]
    if name == "2GAUSS":
        clusters = [rng.normal(mean, 1.0, (500, 2)) for mean in ((0, -4), (0, 4))]
    elif name == "6GAUSS":
        means = ((0, 0), (6, 0), (10, 0), (5, 5), (0, -5), (-5, 0))
        clusters = [rng.normal(mean, 1.0, (500, 2)) for mean in means]
    elif name == "ELONGATED":
        line = np.column_stack([np.linspace(-0.5, 0.5, 300)] * 2)
        clusters = [line + (shift, 0) + rng.normal(0, 0.01, line.shape) for shift in (0, -2, 2)]
    elif name == "CUBE":
        corners = [(x, y, z) for x in (-5, 5) for y in (-5, 5) for z in (-5, 5)]
        clusters = [np.array(corner) + rng.uniform(-4, 4, (200, 3)) for corner in corners]
    else:
        clusters = [_ring(rng, radius, count) for radius, count in ((1, 400), (2, 1200))]
    labels = np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters])
    return np.concatenate(clusters), labels


def _ring(rng: np.random.Generator, radius: float, count: int) -> Floats:
    """Points on a circle with uniform noise."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return ring + rng.uniform(0, 0.1, ring.shape)

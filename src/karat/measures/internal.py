"""Measures of a clustering from the data alone, by the idea that they judge by.

Every function takes ``(X, labels, *, metric, noise)``. One clustering is the batch of one.
"""

from typing import TYPE_CHECKING

from karat.measures import (
    internal_centroids,
    internal_nearest,
    internal_pairs,
    internal_ranks,
    internal_silhouette,
)
from karat.measures.internal_centroids import *  # noqa: F403
from karat.measures.internal_nearest import *  # noqa: F403
from karat.measures.internal_pairs import *  # noqa: F403
from karat.measures.internal_ranks import *  # noqa: F403
from karat.measures.internal_silhouette import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read the star imports instead
    __all__: list[str] = []
    __all__ += internal_silhouette.__all__
    __all__ += internal_pairs.__all__
    __all__ += internal_nearest.__all__
    __all__ += internal_centroids.__all__
    __all__ += internal_ranks.__all__

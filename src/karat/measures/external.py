"""Measures against a gold standard, a file for each idea.

Every function takes ``(labels_true, labels_pred)`` or one :class:`~karat.ContingencyTable`.
"""

from typing import TYPE_CHECKING

from karat.measures import (
    external_batch,
    external_chance,
    external_dendrogram,
    external_homogeneity,
    external_information,
    external_matching,
    external_pairs,
    external_soft,
)
from karat.measures.external_batch import *  # noqa: F403
from karat.measures.external_chance import *  # noqa: F403
from karat.measures.external_dendrogram import *  # noqa: F403
from karat.measures.external_homogeneity import *  # noqa: F403
from karat.measures.external_information import *  # noqa: F403
from karat.measures.external_matching import *  # noqa: F403
from karat.measures.external_pairs import *  # noqa: F403
from karat.measures.external_soft import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read the star imports instead
    __all__: list[str] = []
    __all__ += external_information.__all__
    __all__ += external_homogeneity.__all__
    __all__ += external_pairs.__all__
    __all__ += external_matching.__all__
    __all__ += external_dendrogram.__all__
    __all__ += external_soft.__all__
    __all__ += external_chance.__all__
    __all__ += external_batch.__all__

"""Measures of clusterings, one public function and one catalogue record each."""

from typing import TYPE_CHECKING

from karat.measures import (
    clarity,
    external,
    internal_centroids,
    internal_chance,
    internal_density,
    internal_gap,
    internal_graph,
    internal_margins,
    internal_models,
    internal_nearest,
    internal_pairs,
    internal_ranks,
    internal_relative,
    internal_scatter,
    internal_separation,
    internal_silhouette,
    internal_soft,
    internal_spread,
)
from karat.measures._catalogue import Catalogue as Catalogue
from karat.measures._catalogue import Measure as Measure
from karat.measures._catalogue import catalogue as catalogue
from karat.measures.clarity import *  # noqa: F403
from karat.measures.external import *  # noqa: F403
from karat.measures.internal_centroids import *  # noqa: F403
from karat.measures.internal_chance import *  # noqa: F403
from karat.measures.internal_density import *  # noqa: F403
from karat.measures.internal_gap import *  # noqa: F403
from karat.measures.internal_graph import *  # noqa: F403
from karat.measures.internal_margins import *  # noqa: F403
from karat.measures.internal_models import *  # noqa: F403
from karat.measures.internal_nearest import *  # noqa: F403
from karat.measures.internal_pairs import *  # noqa: F403
from karat.measures.internal_ranks import *  # noqa: F403
from karat.measures.internal_relative import *  # noqa: F403
from karat.measures.internal_scatter import *  # noqa: F403
from karat.measures.internal_separation import *  # noqa: F403
from karat.measures.internal_silhouette import *  # noqa: F403
from karat.measures.internal_soft import *  # noqa: F403
from karat.measures.internal_spread import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read the star imports instead
    __all__ = ["Catalogue", "Measure", "catalogue"]
    __all__ += external.__all__
    __all__ += internal_centroids.__all__
    __all__ += internal_chance.__all__
    __all__ += internal_density.__all__
    __all__ += internal_gap.__all__
    __all__ += internal_graph.__all__
    __all__ += internal_margins.__all__
    __all__ += internal_models.__all__
    __all__ += internal_nearest.__all__
    __all__ += internal_pairs.__all__
    __all__ += internal_ranks.__all__
    __all__ += internal_relative.__all__
    __all__ += internal_scatter.__all__
    __all__ += internal_separation.__all__
    __all__ += internal_silhouette.__all__
    __all__ += internal_soft.__all__
    __all__ += internal_spread.__all__
    __all__ += clarity.__all__

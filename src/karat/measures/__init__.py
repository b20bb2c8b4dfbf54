"""Measures of clusterings, one public function and one catalogue record each."""

from typing import TYPE_CHECKING

from karat.measures.catalogue import Catalogue as Catalogue
from karat.measures.catalogue import Measure as Measure
from karat.measures.catalogue import catalogue as catalogue
from karat.measures.external.agreement import *  # noqa: F403
from karat.measures.external.chance import *  # noqa: F403
from karat.measures.external.covers import *  # noqa: F403
from karat.measures.external.dendrogram import *  # noqa: F403
from karat.measures.external.homogeneity import *  # noqa: F403
from karat.measures.external.information import *  # noqa: F403
from karat.measures.external.jackknife import *  # noqa: F403
from karat.measures.external.matching import *  # noqa: F403
from karat.measures.external.pairs import *  # noqa: F403
from karat.measures.external.soft import *  # noqa: F403
from karat.measures.internal.centroids import *  # noqa: F403
from karat.measures.internal.chance import *  # noqa: F403
from karat.measures.internal.clarity import *  # noqa: F403
from karat.measures.internal.communities import *  # noqa: F403
from karat.measures.internal.density import *  # noqa: F403
from karat.measures.internal.gap import *  # noqa: F403
from karat.measures.internal.gaps import *  # noqa: F403
from karat.measures.internal.graph import *  # noqa: F403
from karat.measures.internal.margins import *  # noqa: F403
from karat.measures.internal.models import *  # noqa: F403
from karat.measures.internal.nearest import *  # noqa: F403
from karat.measures.internal.pairs import *  # noqa: F403
from karat.measures.internal.ranks import *  # noqa: F403
from karat.measures.internal.scatter import *  # noqa: F403
from karat.measures.internal.silhouette import *  # noqa: F403
from karat.measures.internal.soft import *  # noqa: F403
from karat.measures.internal.sweeps import *  # noqa: F403
from karat.measures.internal.variance import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read the star imports instead
    import sys

    __all__ = ["Catalogue", "Measure", "catalogue"]
    for _name, _module in list(sys.modules.items()):
        if _name.startswith(("karat.measures.external.", "karat.measures.internal.")):
            __all__ += getattr(_module, "__all__", [])

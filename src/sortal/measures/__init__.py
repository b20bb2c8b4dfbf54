"""Measures of clusterings, one public function and one catalogue record each."""

from typing import TYPE_CHECKING

from sortal.measures.catalogue import Catalogue as Catalogue
from sortal.measures.catalogue import Measure as Measure
from sortal.measures.catalogue import catalogue as catalogue
from sortal.measures.external.agreement import *  # noqa: F403
from sortal.measures.external.chance import *  # noqa: F403
from sortal.measures.external.covers import *  # noqa: F403
from sortal.measures.external.dendrogram import *  # noqa: F403
from sortal.measures.external.homogeneity import *  # noqa: F403
from sortal.measures.external.information import *  # noqa: F403
from sortal.measures.external.jackknife import *  # noqa: F403
from sortal.measures.external.matching import *  # noqa: F403
from sortal.measures.external.pairs import *  # noqa: F403
from sortal.measures.external.soft import *  # noqa: F403
from sortal.measures.internal.centroids import *  # noqa: F403
from sortal.measures.internal.chance import *  # noqa: F403
from sortal.measures.internal.clarity import *  # noqa: F403
from sortal.measures.internal.communities import *  # noqa: F403
from sortal.measures.internal.density import *  # noqa: F403
from sortal.measures.internal.gap import *  # noqa: F403
from sortal.measures.internal.gaps import *  # noqa: F403
from sortal.measures.internal.graph import *  # noqa: F403
from sortal.measures.internal.margins import *  # noqa: F403
from sortal.measures.internal.models import *  # noqa: F403
from sortal.measures.internal.nearest import *  # noqa: F403
from sortal.measures.internal.pairs import *  # noqa: F403
from sortal.measures.internal.ranks import *  # noqa: F403
from sortal.measures.internal.scatter import *  # noqa: F403
from sortal.measures.internal.silhouette import *  # noqa: F403
from sortal.measures.internal.soft import *  # noqa: F403
from sortal.measures.internal.sweeps import *  # noqa: F403
from sortal.measures.internal.variance import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read the star imports instead
    import sys

    __all__ = ["Catalogue", "Measure", "catalogue"]
    for _name, _module in list(sys.modules.items()):
        if _name.startswith(("sortal.measures.external.", "sortal.measures.internal.")):
            __all__ += getattr(_module, "__all__", [])

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
from karat.measures.external.matching import *  # noqa: F403
from karat.measures.external.pairs import *  # noqa: F403
from karat.measures.external.soft import *  # noqa: F403
from karat.measures.internal.centroids import *  # noqa: F403
from karat.measures.internal.chance import *  # noqa: F403
from karat.measures.internal.clarity import *  # noqa: F403
from karat.measures.internal.communities import *  # noqa: F403
from karat.measures.internal.connected import *  # noqa: F403
from karat.measures.internal.density import *  # noqa: F403
from karat.measures.internal.gap import *  # noqa: F403
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
    from importlib import import_module

    __all__ = ["Catalogue", "Measure", "catalogue"]
    for _module in (
        "external.agreement",
        "external.chance",
        "external.covers",
        "external.dendrogram",
        "external.homogeneity",
        "external.information",
        "external.matching",
        "external.pairs",
        "external.soft",
        "internal.centroids",
        "internal.chance",
        "internal.clarity",
        "internal.communities",
        "internal.connected",
        "internal.density",
        "internal.gap",
        "internal.graph",
        "internal.margins",
        "internal.models",
        "internal.nearest",
        "internal.pairs",
        "internal.ranks",
        "internal.scatter",
        "internal.silhouette",
        "internal.soft",
        "internal.sweeps",
        "internal.variance",
    ):
        __all__ += import_module(f"karat.measures.{_module}").__all__

"""karat tells whether a clustering is any good, and which one to use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat._elsewhere import hint, install

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from karat._representations import representations as representations
    from karat.axioms import properties as properties
    from karat.bench import Benchmark as Benchmark
    from karat.bounds import guarantee as guarantee
    from karat.bounds import pac_mdl_bound as pac_mdl_bound
    from karat.choice import recommend as recommend
    from karat.contingency import ContingencyTable as ContingencyTable
    from karat.evaluation import evaluate as evaluate
    from karat.evaluation import explain as explain
    from karat.labeling import FewLabelClassifier as FewLabelClassifier
    from karat.measures import *  # noqa: F403
    from karat.moments import evaluate_from_moments as evaluate_from_moments
    from karat.moments import moments_sql as moments_sql
    from karat.scores import Scores as Scores
    from karat.stability import n_clusters as n_clusters
    from karat.study import Choice as Choice
    from karat.study import Study as Study
    from karat.study import load_study as load_study
    from karat.study import train_judge as train_judge
    from karat.validation import InputError as InputError
    from karat.validation import StorageError as StorageError
    from karat.validation import UndefinedMeasureError as UndefinedMeasureError

# public name -> the module that has it; nothing is imported before it is asked for
_HOME = {
    "properties": "karat.axioms",
    "Benchmark": "karat.bench",
    "ContingencyTable": "karat.contingency",
    "evaluate": "karat.evaluation",
    "evaluate_from_moments": "karat.moments",
    "explain": "karat.evaluation",
    "Choice": "karat.study",
    "Study": "karat.study",
    "load_study": "karat.study",
    "moments_sql": "karat.moments",
    "n_clusters": "karat.stability",
    "recommend": "karat.choice",
    "train_judge": "karat.study",
    "FewLabelClassifier": "karat.labeling",
    "guarantee": "karat.bounds",
    "pac_mdl_bound": "karat.bounds",
    "representations": "karat._representations",
    "InputError": "karat.validation",
    "Scores": "karat.scores",
    "StorageError": "karat.validation",
    "UndefinedMeasureError": "karat.validation",
}
_ROOMS = (
    "axioms",
    "bench",
    "bounds",
    "choice",
    "clarity",
    "clusterers",
    "datasets",
    "distances",
    "labeling",
    "measures",
    "neighbors",
    "partition",
    "plot",
    "report",
    "scores",
    "stability",
    "study",
    "testing",
    "text",
    "validation",
)

install()


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"karat.{name}")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if not name.startswith("_"):
        measures = import_module("karat.measures")
        if name in measures.__all__:
            return getattr(measures, name)
    raise AttributeError(f"module 'karat' has no attribute {name!r}{hint(name)}")


def __dir__() -> list[str]:
    return sorted(["__version__", *_ROOMS, *_HOME, *import_module("karat.measures").__all__])

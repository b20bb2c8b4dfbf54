"""karat tells whether a clustering is any good, and which one to use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.runtime.synonyms import hint
from karat.runtime.version import __version__ as __version__

if TYPE_CHECKING:
    from karat.bench import Benchmark as Benchmark
    from karat.bounds import guarantee as guarantee
    from karat.bounds import pac_mdl_bound as pac_mdl_bound
    from karat.labeling import FewLabelClassifier as FewLabelClassifier
    from karat.labeling.reading import clarity_by_reading as clarity_by_reading
    from karat.labeling.reading import intruder_test as intruder_test
    from karat.labelings.contingency import ContingencyTable as ContingencyTable
    from karat.measures import *  # noqa: F403
    from karat.measures.evaluation import evaluate as evaluate
    from karat.measures.measure_map import recommend as recommend
    from karat.measures.properties import properties as properties
    from karat.measures.scorer import scorer as scorer
    from karat.measures.scores import Scores as Scores
    from karat.model import Model as Model
    from karat.model import load_model as load_model
    from karat.nulls import assess_structure as assess_structure
    from karat.report import write_report as write_report
    from karat.runtime.validation import InputError as InputError
    from karat.runtime.validation import StorageError as StorageError
    from karat.runtime.validation import UndefinedMeasureError as UndefinedMeasureError
    from karat.study import Answer as Answer
    from karat.study import Study as Study
    from karat.study import load_study as load_study
    from karat.study.estimator import ChosenClustering as ChosenClustering
    from karat.study.number_of_clusters import n_clusters as n_clusters
    from karat.study.representations import representations as representations

# public name -> the module that has it; nothing is imported before it is asked for
_HOME = {
    "properties": "karat.measures.properties",
    "recommend": "karat.measures.measure_map",
    "Benchmark": "karat.bench",
    "ContingencyTable": "karat.labelings.contingency",
    "assess_structure": "karat.nulls",
    "evaluate": "karat.measures.evaluation",
    "Answer": "karat.study",
    "Study": "karat.study",
    "load_study": "karat.study",
    "ChosenClustering": "karat.study.estimator",
    "scorer": "karat.measures.scorer",
    "Model": "karat.model",
    "load_model": "karat.model",
    "n_clusters": "karat.study.number_of_clusters",
    "FewLabelClassifier": "karat.labeling",
    "clarity_by_reading": "karat.labeling.reading",
    "intruder_test": "karat.labeling.reading",
    "guarantee": "karat.bounds",
    "pac_mdl_bound": "karat.bounds",
    "representations": "karat.study.representations",
    "write_report": "karat.report",
    "InputError": "karat.runtime.validation",
    "Scores": "karat.measures.scores",
    "StorageError": "karat.runtime.validation",
    "UndefinedMeasureError": "karat.runtime.validation",
}


def _rooms() -> list[str]:
    """The rooms that are public."""
    from pkgutil import iter_modules

    names = [module.name for module in iter_modules(import_module("karat").__path__)]
    return [name for name in names if name[0] != "_" and name not in ("cli", "runtime")]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if not name.startswith("_"):
        if name in _rooms():
            return import_module(f"karat.{name}")
        measures = import_module("karat.measures")
        if name in measures.__all__:
            return getattr(measures, name)
    raise AttributeError(f"module 'karat' has no attribute {name!r}{hint(name)}")


def __dir__() -> list[str]:
    # measures are listed by karat.measures and karat.measures.catalogue
    return sorted(["__version__", *_rooms(), *_HOME])

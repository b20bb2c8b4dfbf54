"""Python that makes the same study, from its record."""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge import load_judge
from karat.labelings.labels import known_labels
from karat.study.constraints import constraints_of
from karat.study.record import Settings, fingerprint_of
from karat.study.scores import candidate_labelings

if TYPE_CHECKING:
    from karat.study.tried import Tried

MAX_LITERAL = 1000  # characters
#: settings that are not written as plain arguments of the study
NO_ARGUMENTS = ("truth", "metric", "judge", "constraints", "reference")


def code_of(tried: Tried) -> str:
    """A program with the same sweeps, the same judges and the same choice.

    Undefined names in it (``X``, ``y``, ``labelings``, ``clusterers``, ``metric``, ``judge``,
    ``constraints``) stand for objects that only the user has; a comment explains each.
    """
    notes: list[str] = []
    lines = [f"study = karat.Study({', '.join(_arguments(tried, notes))})"]
    if tried.judge.digest != load_judge().digest:
        notes.append(
            f"# judge: your own, {tried.judge.name}; karat.judge.load_judge reads a file, "
            "karat.load_study(path).judge has that of a stored study"
        )
        lines.append("study.judge = judge")
    if (constraints := constraints_of(tried)) is not None:
        ids, words = np.asarray(tried.dataset.ids).tolist(), ("cannot", "must")
        rows = zip(constraints.pairs.tolist(), constraints.must.tolist(), strict=True)
        pairs = [(ids[a], ids[b], words[must]) for (a, b), must in rows]
        note = f"{len(constraints)} pairs of the objects"
        lines.append(f"study.constrain({_written(pairs, 'constraints', note, notes)})")
    for kind, content in tried.record:
        if kind == "sweep":
            lines.append(_sweep(content, notes))
        elif kind == "add":
            lines.append(_add(tried, content["names"], notes))
    return "\n".join(["import karat", "", *notes, *lines, "print(study.best())"])


def _arguments(tried: Tried, notes: list[str]) -> list[str]:
    """The data, and every setting that is not the default."""
    data, settings = tried.dataset, tried.settings
    options = "".join(f", {key}={value!r}" for key, value in data.options.items())
    arguments = [f"karat.datasets.read({data.source!r}{options})" if data.source else "X"]
    if not data.source:
        notes.append(f"# X: the data, {data.kind}")
    if tried.y is not None and not (data.source and _has_classes_of_data(tried)):
        values = tried.y.tolist()
        n_labels = sum(label is not None for label in values)
        note = f"the class of each object, {n_labels} known; None elsewhere"
        arguments.append(f"y={_written(values, 'y', note, notes)}")
    if settings.metric != (data.metric if data.source else Settings.metric):
        arguments.append(f"metric={_metric(tried, notes)}")
    plain, defaults = asdict(settings), asdict(Settings())
    named = [key for key in plain if key not in NO_ARGUMENTS and plain[key] != defaults[key]]
    return arguments + [f"{key}={plain[key]!r}" for key in named]


def _has_classes_of_data(tried: Tried) -> bool:
    """Whether reading the data again gives the classes, too."""
    classes = tried.dataset.y
    return classes is not None and tried.settings.truth == fingerprint_of(
        known_labels(classes, tried.n_objects)
    )


def _metric(tried: Tried, notes: list[str]) -> str:
    """The distance as an argument."""
    metric = tried.metric
    if isinstance(metric, str):
        return repr(metric)
    name, home = getattr(metric, "__name__", ""), getattr(metric, "__module__", "__main__")
    if home != "__main__" and getattr(import_module(home), name, None) is metric:
        notes.insert(0, f"from {home} import {name}")
        return name
    notes.append(f"# metric: your own distance, {tried.settings.metric}")
    return "metric"


def _sweep(content: dict[str, Any], notes: list[str]) -> str:
    """The line of a sweep."""
    called = {}
    for entry in content["clusterers"]:
        called[entry["key"]] = repr(entry["name"])
        if entry["name"] is None:
            key = entry["key"]
            notes.append(f"# clusterers[{key!r}]: your clusterer, {entry['identity']}")
            called[key] = f"clusterers[{key!r}]"
    which = "{" + ", ".join(f"{key!r}: {how}" for key, how in called.items()) + "}"
    if all(how == repr(key) for key, how in called.items()):
        which = f"[{', '.join(called.values())}]"
    k = content["k"]
    if len(k) > 1 and k == list(range(k[0], k[-1] + 1)):
        k = range(k[0], k[-1] + 1)
    grid = f", grid={content['grid']!r}" if content["grid"] else ""
    return f"study.sweep({which}, k={k!r}{grid}, n_init={content['n_init']})"


def _add(tried: Tried, names: list[str], notes: list[str]) -> str:
    """The line that adds clusterings made elsewhere."""
    plain: dict[str, Any] = {}
    if tried.n_objects <= MAX_LITERAL:
        plain = {
            name: labels.tolist() for name, labels in candidate_labelings(tried, names).items()
        }
    text = repr(plain)
    if not plain or len(text) > MAX_LITERAL:
        notes.append(f"# labelings: a dict with your clusterings {', '.join(names)}")
        text = f"{{name: labelings[name] for name in {names!r}}}"
    alone = "" if tried.settings.reference else ", reference=False"
    return f"study.add({text}{alone})"


def _written(value: object, name: str, note: str, notes: list[str]) -> str:
    """A short value as a literal, a long one as a name that a note explains."""
    text = repr(value)
    if len(text) <= MAX_LITERAL:
        return text
    notes.append(f"# {name}: {note}")
    return name

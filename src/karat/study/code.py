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

if TYPE_CHECKING:
    from karat.study.study import Study

LONGEST = 1000  # characters of a literal
#: settings that are not written as arguments of the study by their values
ELSEWHERE = ("truth", "metric", "judge", "constraints", "reference")


def code_of(study: Study) -> str:
    """A program that tries the same, judges by the same and chooses the same.

    Names in it that are not defined there (``X``, ``truth``, ``labelings``, ``own``, ``metric``,
    ``judge``, ``constraints``) stand for what only the user has; a comment says what each is.
    """
    notes: list[str] = []
    lines = [f"study = karat.Study({', '.join(_arguments(study, notes))})"]
    if study.judge.digest != load_judge().digest:
        notes.append(
            f"# judge: your own, {study.judge.name}; karat.judge.load_judge reads a file, "
            "karat.load_study(path).judge has that of a stored study"
        )
        lines.append("study.judge = judge")
    if (known := constraints_of(study)) is not None:
        ids, words = np.asarray(study.dataset.ids).tolist(), ("cannot", "must")
        rows = zip(known.pairs.tolist(), known.must.tolist(), strict=True)
        pairs = [(ids[a], ids[b], words[must]) for (a, b), must in rows]
        note = f"{len(known)} pairs of the objects"
        lines.append(f"study.constrain({_written(pairs, 'constraints', note, notes)})")
    for kind, content in study.record:
        if kind == "sweep":
            lines.append(_sweep(content, notes))
        elif kind == "add":
            lines.append(_add(study, content["names"], notes))
    return "\n".join(["import karat", "", *notes, *lines, "print(study.best())"])


def _arguments(study: Study, notes: list[str]) -> list[str]:
    """The data, and every setting that is not the default."""
    data, settings = study.dataset, study.settings
    options = "".join(f", {key}={value!r}" for key, value in data.options.items())
    arguments = [f"karat.datasets.read({data.source!r}{options})" if data.source else "X"]
    if not data.source:
        notes.append(f"# X: the data, {data.kind}")
    if study.truth is not None and not (data.source and _has_truth_of_data(study)):
        values = study.truth.tolist()
        known = sum(value is not None for value in values)
        note = f"the class of each object, {known} known; None elsewhere"
        arguments.append(f"truth={_written(values, 'truth', note, notes)}")
    if settings.metric != (data.metric if data.source else Settings.metric):
        arguments.append(f"metric={_metric(study, notes)}")
    plain, defaults = asdict(settings), asdict(Settings())
    named = [key for key in plain if key not in ELSEWHERE and plain[key] != defaults[key]]
    return arguments + [f"{key}={plain[key]!r}" for key in named]


def _has_truth_of_data(study: Study) -> bool:
    """Whether reading the data again gives the classes, too."""
    own = study.dataset.truth
    return own is not None and study.settings.truth == fingerprint_of(
        known_labels(own, study.n_objects)
    )


def _metric(study: Study, notes: list[str]) -> str:
    metric = study.metric
    if isinstance(metric, str):
        return repr(metric)
    name, home = getattr(metric, "__name__", ""), getattr(metric, "__module__", "__main__")
    if home != "__main__" and getattr(import_module(home), name, None) is metric:
        notes.insert(0, f"from {home} import {name}")
        return name
    notes.append(f"# metric: your own distance, {study.settings.metric}")
    return "metric"


def _sweep(content: dict[str, Any], notes: list[str]) -> str:
    called = {}
    for one in content["clusterers"]:
        called[one["key"]] = repr(one["name"])
        if one["name"] is None:
            notes.append(f"# own[{one['key']!r}]: your own clusterer, {one['identity']}")
            called[one["key"]] = f"own[{one['key']!r}]"
    which = "{" + ", ".join(f"{key!r}: {how}" for key, how in called.items()) + "}"
    if all(how == repr(key) for key, how in called.items()):
        which = f"[{', '.join(called.values())}]"
    k = content["k"]
    if len(k) > 1 and k == list(range(k[0], k[-1] + 1)):
        k = range(k[0], k[-1] + 1)
    grid = f", grid={content['grid']!r}" if content["grid"] else ""
    return f"study.sweep({which}, k={k!r}{grid}, n_init={content['n_init']})"


def _add(study: Study, names: list[str], notes: list[str]) -> str:
    plain: dict[str, Any] = {}
    if study.n_objects <= LONGEST:
        plain = {name: labels.tolist() for name, labels in study.labelings(names).items()}
    text = repr(plain)
    if not plain or len(text) > LONGEST:
        notes.append(f"# labelings: a dict with your clusterings {', '.join(names)}")
        text = f"{{name: labelings[name] for name in {names!r}}}"
    alone = "" if study.settings.reference else ", reference=False"
    return f"study.add({text}{alone})"


def _written(value: Any, name: str, note: str, notes: list[str]) -> str:
    """A literal where it is short, else a name that a note explains."""
    text = repr(value)
    if len(text) <= LONGEST:
        return text
    notes.append(f"# {name}: {note}")
    return name

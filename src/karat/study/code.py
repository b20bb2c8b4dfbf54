"""Python that makes the same study, from its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
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

    Names in it that are not defined there (``X``, ``truth``, ``labelings``, ``own``, ``metric``)
    stand for what only the user has; a comment says what each is.
    """
    return _Program(study).text()


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


class _Program:
    def __init__(self, study: Study) -> None:
        self.study = study
        self.imports: set[str] = set()
        self.notes: list[str] = []
        self.kept = False

    def text(self) -> str:
        lines = [
            self._study(),
            *self._judge(),
            *self._constraints(),
            *(
                self._sweep(content) if kind == "sweep" else self._add(content["names"])
                for kind, content in self.study.record
                if kind in ("sweep", "add")
            ),
            "print(study.best())",
        ]
        if self.kept:
            data = "" if self.study.dataset.source else ", X"
            path = str(self.study.storage.path)
            lines.insert(
                0, f"kept = karat.load_study({path!r}{data})  # what was given to the study"
            )
            lines.insert(-1, "kept.close()")
        return "\n".join(["import karat", *sorted(self.imports), "", *self.notes, *lines])

    def _judge(self) -> list[str]:
        judge = self.study.judge
        if judge.digest == load_judge().digest:
            return []
        if self._can_load():
            return ["study.judge = kept.judge"]
        self.notes.append(f"# judge: your own, {judge.name}; karat.judge.load_judge reads a file")
        return ["study.judge = judge"]

    def _constraints(self) -> list[str]:
        known = constraints_of(self.study)
        if known is None:
            return []
        ids, words = self.study.dataset.ids, ("cannot", "must")
        rows = zip(known.pairs.tolist(), known.must.tolist(), strict=True)
        text = repr([(_plain(ids[a]), _plain(ids[b]), words[must]) for (a, b), must in rows])
        if len(text) <= LONGEST:
            return [f"study.constrain({text})"]
        self.notes.append(f"# constraints: {len(known)} pairs of the objects")
        return ["study.constrain(constraints)"]

    def _study(self) -> str:
        study, settings = self.study, self.study.settings
        source = study.dataset.source
        options = "".join(f", {key}={value!r}" for key, value in study.dataset.options.items())
        arguments = [f"karat.datasets.read({source!r}{options})" if source else "X"]
        if not source:
            self.notes.append(f"# X: the data, {study.dataset.kind}")
        if settings.truth is not None and not (source and self._has_truth_of_data()):
            arguments.append(f"truth={self._truth()}")
        if settings.metric != (study.dataset.metric if source else Settings.metric):
            arguments.append(f"metric={self._metric()}")
        plain = asdict(settings)
        for key, default in asdict(Settings()).items():
            if key not in ELSEWHERE and plain[key] != default:
                arguments.append(f"{key}={plain[key]!r}")
        return f"study = karat.Study({', '.join(arguments)})"

    def _has_truth_of_data(self) -> bool:
        """Whether reading the data again gives the classes, too."""
        own = self.study.dataset.truth
        return own is not None and self.study.settings.truth == fingerprint_of(
            known_labels(own, self.study.n_objects)
        )

    def _metric(self) -> str:
        metric = self.study.metric
        if isinstance(metric, str):
            return repr(metric)
        from importlib import import_module

        name = getattr(metric, "__name__", "")
        home = getattr(metric, "__module__", None) or "__main__"
        if home != "__main__" and getattr(import_module(home), name, None) is metric:
            self.imports.add(f"from {home} import {name}")
            return name
        self.notes.append(f"# metric: your own distance, {self.study.settings.metric}")
        return "metric"

    def _truth(self) -> str:
        assert self.study.truth is not None
        values = self.study.truth.tolist()
        text = _written(values, len(values))
        if text is not None:
            return text
        if self._can_load():
            return "kept.truth"
        known = sum(value is not None for value in values)
        self.notes.append(f"# truth: the class of each object, {known} known; None elsewhere")
        return "truth"

    def _can_load(self) -> bool:
        self.kept = self.kept or self.study.storage.path is not None
        return self.kept

    def _sweep(self, content: dict[str, Any]) -> str:
        names, mapped = [], {}
        for one in content["clusterers"]:
            key, expression = one["key"], repr(one["name"])
            if one["name"] is None:
                self.notes.append(f"# own[{key!r}]: your own clusterer, {one['identity']}")
                expression = f"own[{key!r}]"
            mapped[key] = expression
            names.append(expression == repr(key))
        if all(names):
            which = ", ".join(mapped.values())
            which = which if len(names) == 1 else f"[{which}]"
        else:
            which = "{" + ", ".join(f"{key!r}: {how}" for key, how in mapped.items()) + "}"
        grid = f", grid={content['grid']!r}" if content.get("grid") else ""
        return f"study.sweep({which}, k={_span(content['k'])}{grid}, n_init={content['n_init']})"

    def _add(self, names: Sequence[str]) -> str:
        alone = "" if self.study.settings.reference else ", reference=False"
        given = self.study.labelings(names)
        plain = {name: labels.tolist() for name, labels in given.items()}
        text = _written(plain, len(names) * self.study.n_objects)
        if text is not None:
            return f"study.add({text}{alone})"
        if self._can_load():
            return f"study.add(kept.labelings({list(names)!r}){alone})"
        self.notes.append(f"# labelings: a dict with your clusterings {', '.join(names)}")
        chosen = f"{{name: labelings[name] for name in {list(names)!r}}}"
        return f"study.add({chosen}{alone})"


def _span(ks: Sequence[int]) -> str:
    if len(ks) > 2 and list(ks) == list(range(ks[0], ks[-1] + 1)):
        return f"range({ks[0]}, {ks[-1] + 1})"
    return repr(list(ks))


def _written(value: Any, n_values: int) -> str | None:
    """A literal, where it is short; each value takes three characters at least."""
    text = repr(value) if 3 * n_values <= LONGEST else ""
    return text if 0 < len(text) <= LONGEST else None

"""Files of models with a right digest and wrong parts: an error of sortal's, or a prediction."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sortal import InputError, StorageError
from sortal.datasets import Dataset, from_table, read
from sortal.model import Model, load_model

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "width": [1.0, 1.2, None, 9.0, 9.1, 9.3] * 3,
        "colour": ["red", "red", "blue", "blue", "blue", "red"] * 3,
    }
)
TEXTS = ["the cat sat on the mat", "cats sit on mats", "stocks fell today", "the stock fell"] * 3
WRONG: list[Any] = [None, "x", -1, 10**30, True, [], {}, [None], 0.5]


def documents() -> Dataset:
    """A data set of documents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.csv")
        pd.DataFrame({"body": TEXTS}).to_csv(path, index=False)
        return read(path, text_column="body")


def models() -> dict[str, tuple[Model, Any]]:
    """Models of several kinds of data, and further objects for each."""
    X = RNG.uniform(0.1, 1, (20, 3))
    rows = sparse.csr_array(np.where(RNG.uniform(size=(20, 6)) < 0.5, 1.0, 0.0) + np.eye(20, 6))
    labels = [0, 1] * 10
    return {
        "array": (Model.of(X, labels), X[:3]),
        "medoids": (Model.of(X, labels, metric="cityblock"), X[:3]),
        "sparse": (Model.of(rows, labels, metric="cosine"), rows[:3]),
        "table": (Model.of(from_table(TABLE), [0, 0, 0, 1, 1, 1] * 3), TABLE[:3]),
        "texts": (Model.of(documents(), [0, 0, 1, 1] * 3), TEXTS[:3]),
    }


MODELS = models()


def forged(content: dict[str, Any], arrays: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Every part of a model replaced by wrong ones, one at a time."""
    for path, _ in list(leaves(content)):
        for wrong in WRONG:
            changed = copy.deepcopy(content)
            place = changed
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = wrong
            yield f"{path} = {wrong!r}", changed, arrays
    for name, array in arrays.items():
        bad = [array[:0], array[..., None], array.astype(str), array.astype(np.complex128)]
        if array.dtype.kind == "f":
            whole = np.nan_to_num(array).astype(np.int32)
            bad += [np.full_like(array, np.nan), -array - 1, whole]
        else:
            bad += [array - 9, array + 10_000, array.astype(np.float64)]
        bad += [array[:-1], np.concatenate([array, array])]
        for number, wrong in enumerate(bad):
            yield f"{name} {number}", content, {**arrays, name: wrong}
        yield f"no {name}", content, {key: arrays[key] for key in arrays if key != name}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Paths to the parts of JSON content, few of each list."""
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else []
    for key, inner in enumerate(value[:2]) if isinstance(value, list) else items:
        yield from leaves(inner, (*path, key))


def digest_of(members: dict[str, bytes]) -> str:
    """The digest in the manifest: over names, lengths and contents."""
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name} {len(members[name])}\n".encode() + members[name])
    return digest.hexdigest()


def write(path: Path, content: dict[str, Any], arrays: dict[str, Any]) -> None:
    """An archive with these parts and a right digest."""
    members = {"facts.json": json.dumps(content).encode()}
    for name, array in arrays.items():
        file = io.BytesIO()
        np.save(file, array, allow_pickle=False)
        members[f"{name}.npy"] = file.getvalue()
    manifest = {"format": "sortal-model", "version": 1, "digest": digest_of(members)}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **members}.items():
            archive.writestr(name, data)


def parts(model: Model, path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """JSON content and flat arrays of a saved model."""
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    del members["manifest.json"]
    arrays = {
        name.removesuffix(".npy"): np.load(io.BytesIO(data))
        for name, data in members.items()
        if name.endswith(".npy")
    }
    return json.loads(members["facts.json"]), arrays


@pytest.mark.quick(2)
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", MODELS)
def test_forged_parts_give_clear_errors(tmp_path: Path, kind: str, step: int) -> None:
    model, further = MODELS[kind]
    content, arrays = parts(model, tmp_path / "whole")
    expected = np.asarray(load_model(tmp_path / "whole").predict(further))
    assert expected.tolist() == np.asarray(model.predict(further)).tolist()
    path, rejected = tmp_path / "forged", 0
    cases = list(forged(content, arrays))
    assert len(cases) > 400
    for case, changed, changed_arrays in cases[::step]:
        write(path, changed, changed_arrays)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loaded = load_model(path)
                placed = loaded.predict(further)
                repr(loaded), str(loaded), placed.table
        except InputError:
            rejected += 1
        except Exception as error:
            raise AssertionError(f"{kind}: {case}") from error
        else:
            assert set(placed.labels.tolist()) <= {-1, 0, 1}, case
            assert ((placed.confidence >= 0) & (placed.confidence <= 1)).all(), case
    assert rejected > 50


def test_indices_out_of_range_are_rejected(tmp_path: Path) -> None:
    content, arrays = parts(MODELS["sparse"][0], tmp_path / "whole")
    for part, value in (("indices", 10_000), ("indices", -1), ("indptr", 10**6)):
        wrong = arrays[f"rule/X/{part}"].copy()
        wrong[1] = value
        write(tmp_path / "forged", content, {**arrays, f"rule/X/{part}": wrong})
        with pytest.raises(StorageError, match="not a valid CSR"):
            load_model(tmp_path / "forged")

"""A model in a file: a ZIP archive of JSON and NPY arrays, with a digest over all of them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.preparation import Preparation
from karat.model.held_out import Confidence, ExtensionAgreement
from karat.model.rule import Rule, check_metric_of_file
from karat.runtime.output import write_output
from karat.runtime.resources import require_memory
from karat.runtime.validation import InputError, StorageError
from karat.runtime.version import __version__

if TYPE_CHECKING:
    from karat.model.model import Model

FORMAT = "karat-model"
#: raised when older versions of karat cannot read what is written
VERSION = 1
#: what zipfile raises for an archive that is none or is damaged, a place before its start too
_DAMAGED = (
    zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError, OSError,
    UnicodeDecodeError,
)  # fmt: skip
_MANIFEST, _FACTS = "manifest.json", "facts.json"
#: what of a model is kept as it is
_PLAIN = ("names", "sizes", "n_objects", "training_agreement", "training_checked", "facts")


def write_model(model: Model, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a model, whole or not at all, see :meth:`Model.save`."""
    rule = model.rule
    facts, prepared = model.preparation.to_parts()
    content = {name: getattr(model, name) for name in _PLAIN} | {
        "rule": {"metric": check_metric_of_file(rule.metric), "by_centers": rule.by_centers},
        "preparation": facts,
        "confidence": vars(model.confidence),
        "extension_agreement": vars(model.extension_agreement),
    }
    arrays = {f"preparation/{name}": value for name, value in prepared.items()}
    arrays |= {"rule/labels": rule.labels, "rule/limits": rule.limits}
    arrays |= _flat("rule/X", rule.X) | _flat("rule/centers", rule.centers)
    members = {_FACTS: _json(content)}
    for name, value in arrays.items():
        file = io.BytesIO()
        np.save(file, np.ascontiguousarray(value), allow_pickle=False)
        members[f"{name}.npy"] = file.getvalue()
    manifest = {
        "format": FORMAT, "version": VERSION, "karat": __version__, "digest": _digest(members),
    }  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {_MANIFEST: _json(manifest), **members}.items():
            info = zipfile.ZipInfo(name)  # without a date: the same model is the same bytes
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    write_output(path, out.getvalue(), overwrite=overwrite)


def load_model(path: str | Path) -> Model:
    """Read a model that :meth:`karat.Answer.save` or :meth:`karat.Model.save` wrote.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Model

    Raises
    ------
    InputError
        If there is no such file.
    StorageError
        If it is no model, damaged, truncated, or written by a later version.

    Examples
    --------
    >>> import karat, pathlib, tempfile
    >>> model = karat.Model.of([[0.0], [0.2], [9.0], [9.1]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.karat-model")
    ...     model.save(path)
    ...     karat.load_model(path).predict([[8.0]]).labels
    array([1], dtype=int32)
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path)
    except _DAMAGED as error:
        begins = path.read_bytes()[:2] == b"PK"
        what = "is damaged or truncated" if begins else "is no model of karat"
        raise StorageError(f"{path} {what} ({error}); save it again (Answer.save)") from None
    try:
        content = json.loads(members.pop(_FACTS))
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(data), allow_pickle=False)
            for name, data in members.items()
        }
        return _model(content, arrays)
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise StorageError(f"{path} is no model that this version can read: {error!r}") from None


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, bytes]:
    """What is in the archive, once it is known to be a whole model."""
    infos = archive.infolist()
    require_memory(2 * sum(info.file_size for info in infos), str(path), "is it a model of karat?")
    names = {info.filename for info in infos}
    if _MANIFEST not in names or _FACTS not in names:
        raise StorageError(f"{path} is no model of karat: it has no {_MANIFEST}")
    try:
        manifest = json.loads(archive.read(_MANIFEST))
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StorageError(f"{path} is no model of karat")
    version = manifest.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise StorageError(
            f"{path} was written by karat {manifest.get('karat')} in the format {version}, and "
            f"this is karat {__version__}, which reads up to {VERSION}; update karat"
        )
    members = {name: archive.read(name) for name in names - {_MANIFEST}}
    if manifest.get("digest") != _digest(members):
        raise StorageError(f"{path} was changed after it was written: its digest differs")
    return members


def _model(content: dict[str, Any], arrays: dict[str, Any]) -> Model:
    from karat.model.model import Model

    rule = Rule(
        X=_whole("rule/X", arrays),
        labels=arrays["rule/labels"],
        centers=_whole("rule/centers", arrays),
        limits=arrays["rule/limits"],
        **content["rule"],
    )
    start = "preparation/"
    prepared = {name[len(start) :]: arrays[name] for name in arrays if name.startswith(start)}
    plain = {name: content[name] for name in _PLAIN}
    return Model(
        rule=rule,
        preparation=Preparation.from_parts(content["preparation"], prepared),
        confidence=Confidence(**{k: tuple(v) for k, v in content["confidence"].items()}),
        extension_agreement=ExtensionAgreement(**content["extension_agreement"]),
        **plain | {"names": tuple(plain["names"]), "sizes": tuple(plain["sizes"])},
    )


def _flat(name: str, data: Any) -> dict[str, Any]:
    """A dense array, or the three of a sparse one."""
    if not hasattr(data, "toarray"):
        return {name: np.asarray(data)}
    return {
        f"{name}/{part}": np.asarray(getattr(data, part))
        for part in ("data", "indices", "indptr", "shape")
    }


def _whole(name: str, arrays: dict[str, Any]) -> Any:
    if name in arrays:
        return arrays[name]
    from scipy import sparse

    parts = tuple(arrays[f"{name}/{part}"] for part in ("data", "indices", "indptr"))
    return sparse.csr_array(parts, shape=tuple(arrays[f"{name}/shape"].tolist()))


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def _digest(members: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name} {len(members[name])}\n".encode())
        digest.update(members[name])
    return digest.hexdigest()

"""A model in a file: a ZIP archive of JSON and NPY arrays, with a digest over all of them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.runtime.output import write_output
from sortal.runtime.resources import require_memory
from sortal.runtime.validation import InputError, StorageError, check_data
from sortal.runtime.version import __version__
from sortal.typing import Rows

ARCHIVE_FORMAT = "sortal-model"
_FORMER_FORMAT = "karat-model"
#: derived: the format; increased when older versions of sortal cannot read the files
ARCHIVE_VERSION = 1
#: errors of zipfile for damaged archives and other files
_DAMAGED = (
    zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError, OSError,
    UnicodeDecodeError,
)  # fmt: skip
_MANIFEST, _FACTS = "manifest.json", "facts.json"


def write_archive(
    path: str | Path,
    content: dict[str, Any],
    arrays: Mapping[str, NDArray[Any] | Rows],
    *,
    overwrite: bool = False,
) -> None:
    """Write the JSON content and the arrays of a model, completely or not at all."""
    members = {_FACTS: _json(content)}
    for name, array in arrays.items():
        for member, value in _flat(name, array).items():
            file = io.BytesIO()
            np.save(file, np.ascontiguousarray(value), allow_pickle=False)
            members[f"{member}.npy"] = file.getvalue()
    manifest = {
        "format": ARCHIVE_FORMAT,
        "version": ARCHIVE_VERSION,
        "sortal": __version__,
        "digest": _digest(members),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {_MANIFEST: _json(manifest), **members}.items():
            info = zipfile.ZipInfo(name)  # without a date: the same model is the same bytes
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    write_output(path, buffer.getvalue(), overwrite=overwrite)


def read_members(path: Path) -> dict[str, bytes]:
    """The members of a model's file, checked to be complete and unchanged."""
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    try:
        with zipfile.ZipFile(path) as archive:
            return _members(archive, path)
    except _DAMAGED as error:
        is_archive = path.read_bytes()[:2] == b"PK"
        problem = "is damaged or truncated" if is_archive else "is not a sortal model"
        raise StorageError(f"{path} {problem} ({error}); save it again (Answer.save)") from None


def parse_members(members: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON content and the arrays in the members of a model's file."""
    arrays: dict[str, Any] = {
        name.removesuffix(".npy"): np.load(io.BytesIO(data), allow_pickle=False)
        for name, data in members.items()
        if name != _FACTS
    }
    for name in [name.removesuffix("/indptr") for name in arrays if name.endswith("/indptr")]:
        from scipy import sparse

        parts = tuple(arrays.pop(f"{name}/{member}") for member in ("data", "indices", "indptr"))
        shape = tuple(arrays.pop(f"{name}/shape").tolist())
        # indices are followed by native code
        arrays[name] = check_data(sparse.csr_array(parts, shape=shape), name=name)
    return json.loads(members[_FACTS]), arrays


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, bytes]:
    """The content of the archive, once it is checked to be a complete model."""
    infos = archive.infolist()
    require_memory(2 * sum(info.file_size for info in infos), str(path), "is it a model of sortal?")
    names = {info.filename for info in infos}
    if _MANIFEST not in names or _FACTS not in names:
        raise StorageError(f"{path} is not a sortal model: it has no {_MANIFEST}")
    try:
        manifest = json.loads(archive.read(_MANIFEST))
    except ValueError:
        manifest = None
    stated_format = manifest.get("format") if isinstance(manifest, dict) else None
    if stated_format == _FORMER_FORMAT:
        raise StorageError(
            f"{path} was written by karat, the former name of sortal, and cannot be read; fit and "
            "save the model again"
        )
    if stated_format != ARCHIVE_FORMAT:
        raise StorageError(f"{path} is not a sortal model")
    version = manifest.get("version")
    if not isinstance(version, int) or version > ARCHIVE_VERSION:
        raise StorageError(
            f"{path} was written by sortal {manifest.get('sortal')} in the format {version}, and "
            f"this is sortal {__version__}, which reads up to {ARCHIVE_VERSION}; update sortal"
        )
    members = {name: archive.read(name) for name in names - {_MANIFEST}}
    if manifest.get("digest") != _digest(members):
        raise StorageError(f"{path} was changed after it was written: its digest differs")
    return members


def _flat(name: str, data: NDArray[Any] | Rows) -> dict[str, NDArray[Any]]:
    """A dense array, or the arrays of a sparse one, by name."""
    if not hasattr(data, "toarray"):
        return {name: np.asarray(data)}
    return {
        f"{name}/{key}": np.asarray(getattr(data, key))
        for key in ("data", "indices", "indptr", "shape")
    }


def _json(content: dict[str, Any]) -> bytes:
    """A value as JSON in UTF-8."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def _digest(members: dict[str, bytes]) -> str:
    """Digest over names, lengths and contents of all members."""
    digest = hashlib.sha256()
    for name in sorted(members):
        digest.update(f"{name} {len(members[name])}\n".encode())
        digest.update(members[name])
    return digest.hexdigest()

"""The record of the files that were written: what may be replaced, and what is the user's.

It is in the user's state folder, a small file for each output, named by the hash of its path. So
nothing lies beside the outputs. Where it cannot be written, the outputs are the user's own.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from pathlib import Path

from sortal.runtime.user_folder import state_folder


def digest_of(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record(path: Path, draft: Path) -> None:
    """Note that a whole file will be put at a resolved path.

    The note has the digest of the replaced output, too. A process that is killed between the note
    and the move thus leaves an output in any case.
    """
    with contextlib.suppress(OSError, RuntimeError):
        digests = [digest_of(draft), *([digest_of(path)] if is_unchanged_output(path) else [])]
        content = json.dumps({"path": str(path), "sha256": digests})
        entry = _entry(path)
        entry.parent.mkdir(parents=True, exist_ok=True)
        beside = entry.with_suffix(f".{secrets.token_hex(4)}")
        beside.write_text(content, encoding="utf-8")
        os.replace(beside, entry)


def is_unchanged_output(path: Path) -> bool:
    """Whether an earlier output wrote the file at a resolved path, and it is as it was then."""
    try:
        entry = json.loads(_entry(path).read_text(encoding="utf-8"))
        return bool(entry["path"] == str(path) and digest_of(path) in entry["sha256"])
    except (OSError, RuntimeError, ValueError, KeyError, TypeError):
        return False


def _entry(path: Path) -> Path:
    """The file of the record about a path."""
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    return state_folder() / "outputs" / f"{name}.json"

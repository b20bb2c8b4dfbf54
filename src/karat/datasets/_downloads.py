"""Files at an address."""

from __future__ import annotations

import os
import shutil
import tempfile
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karat.runtime.validation import InputError

_ADDRESSES = ("http://", "https://")
_TIMEOUT_SECONDS = 30.0  # seconds without an answer
_MAX_DOWNLOAD_BYTES = 2**32


@contextmanager
def local(path: str | os.PathLike[str]) -> Iterator[tuple[str | os.PathLike[str], tuple[str, ...]]]:
    """Yield a path on this machine for as long as the block runs, and notes on a download."""
    if not (isinstance(path, str) and path.lower().startswith(_ADDRESSES)):
        yield path, ()
        return
    parts = urllib.parse.urlsplit(path)
    with tempfile.TemporaryDirectory(prefix="karat-") as folder:
        file = Path(folder, Path(urllib.parse.unquote(parts.path)).name or "data.csv")
        _download(path, file)
        note = f"Downloaded {file.stat().st_size:,} bytes from {path}."
        yield f"{file}#{parts.fragment}" if parts.fragment else file, (note,)


def _download(address: str, file: Path) -> None:
    """Download an address to a file; raise for large files and failures."""
    import urllib.request

    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as response:
            if int(response.headers.get("Content-Length") or 0) > _MAX_DOWNLOAD_BYTES:
                raise InputError(f"{address} is larger than 4 GB; download it to a file first")
            with file.open("wb") as out:
                shutil.copyfileobj(response, out)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = getattr(error, "reason", error)
        raise InputError(f"{address} cannot be downloaded: {reason}") from None

"""Files at an address."""

from __future__ import annotations

import os
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

from karat.runtime.output import new_file, temporary_folder
from karat.runtime.validation import InputError

_ADDRESSES = ("http://", "https://")
_TIMEOUT_SECONDS = 30.0  # without an answer
_MAX_SECONDS = 1800.0  # of a whole download
_MAX_DOWNLOAD_BYTES = 2**32
_CHUNK_BYTES = 2**20


@contextmanager
def local(path: str | os.PathLike[str]) -> Iterator[tuple[str | os.PathLike[str], tuple[str, ...]]]:
    """Yield a path on this machine for as long as the block runs, and notes on a download."""
    if not (isinstance(path, str) and path.lower().startswith(_ADDRESSES)):
        yield path, ()
        return
    parts = urllib.parse.urlsplit(path)
    with temporary_folder() as folder:
        file = Path(folder, Path(urllib.parse.unquote(parts.path)).name or "data.csv")
        _download(path, file)
        note = f"Downloaded {file.stat().st_size:,} bytes from {path}."
        yield f"{file}#{parts.fragment}" if parts.fragment else file, (note,)


def _too_large(address: str) -> InputError:
    """Error for a file that is too large to be downloaded on the way."""
    limit = f"{_MAX_DOWNLOAD_BYTES / 2**30:.3g} GiB"
    return InputError(f"{address} is larger than {limit}; download it to a file first")


def _copy(response: BufferedIOBase, file: Path, address: str) -> None:
    """Copy what a server sends, up to the limits of size and time, whatever it announced."""
    size, end = 0, time.monotonic() + _MAX_SECONDS
    with new_file(file) as out:
        while chunk := response.read1(_CHUNK_BYTES):
            size += len(chunk)
            if size > _MAX_DOWNLOAD_BYTES:
                raise _too_large(address)
            if time.monotonic() > end:
                raise InputError(
                    f"{address} takes longer than {_MAX_SECONDS / 60:.3g} minutes; download it to "
                    "a file first"
                )
            out.write(chunk)


def _download(address: str, file: Path) -> None:
    """Download an address to a file; raise for large files and failures."""
    import urllib.request

    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as response:
            if int(response.headers.get("Content-Length") or 0) > _MAX_DOWNLOAD_BYTES:
                raise _too_large(address)
            _copy(response, file, address)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = getattr(error, "reason", error)
        raise InputError(f"{address} cannot be downloaded: {reason}") from None

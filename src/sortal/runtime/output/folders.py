"""Folders of files with a manifest: what was written there is known, and nothing else is touched.

Files are written to a stage first, beside the folder on a disk, inside it at an address. They are
moved to their places when all are whole, and files of an earlier output that have no successor are
removed last. A new folder on a disk appears at once, by one rename.

A killed process may leave the stage, whose name begins with a dot or an underscore, so that
readers skip it; nothing uses it again, delete it. Killed in the moment of the moves, which Ctrl-C
and SIGTERM wait for, it may leave a folder with some new and some old files. The manifest says
then what both were, so the same output can be written again. At an address ``_SUCCESS`` is written
last, and is missing until then.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import posixpath
import secrets
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from sortal.runtime.addresses import filesystem_of, scheme_of
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

#: name of the manifest in a folder of outputs
MANIFEST = "_sortal_manifest.json"
#: a file that is written last to a folder at an address, where nothing can be renamed
SUCCESS = "_SUCCESS"
_FORM = "sortal outputs"


@dataclass(frozen=True)
class WrittenFile:
    """A file that was written: its name in the folder, its size, and the digests it may have.

    There are two digests while a new file replaces an old one.
    """

    name: str
    size: int
    digests: tuple[str, ...]


@dataclass(frozen=True)
class Manifest:
    """What was written to a folder.

    Attributes
    ----------
    run : str
        Marks the output that wrote last.
    files : dict
        Each :class:`WrittenFile` by its name.
    """

    run: str
    files: dict[str, WrittenFile]

    def to_bytes(self) -> bytes:
        """As JSON, with a digest over the content."""
        files = {
            file.name: {"bytes": file.size, "sha256": list(file.digests)}
            for file in sorted(self.files.values(), key=lambda file: file.name)
        }
        content = {"form": _FORM, "run": self.run, "files": files}
        return json.dumps({**content, "digest": _digest(content)}, indent=1).encode()

    @classmethod
    def of(cls, text: bytes, place: str) -> Manifest:
        """The manifest in a text; raises for one that was changed."""
        try:
            content = json.loads(text)
            digest = content.pop("digest")
            if content["form"] != _FORM or digest != _digest(content):
                raise ValueError
            files = {
                name: WrittenFile(name, int(entry["bytes"]), tuple(entry["sha256"]))
                for name, entry in content["files"].items()
            }
            return cls(content["run"], files)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(
                f"{place}/{MANIFEST} is damaged or was changed, so it is unknown what was written "
                "there; choose another folder, or delete this one yourself"
            ) from None


@dataclass(frozen=True)
class OutputFolder:
    """A folder or address with files that are written together.

    Attributes
    ----------
    target : str
        Path or address.
    overwrite, append : bool
        Whether the files of an earlier output are replaced, or kept and further files written.
        Other files in the folder stay as they are.
    run : str
        Marks this output.
    """

    target: str
    overwrite: bool = False
    append: bool = False
    run: str = field(default_factory=lambda: secrets.token_hex(6), compare=False)

    @property
    def is_local(self) -> bool:
        """Whether it is on a disk."""
        return not scheme_of(self.target)

    @property
    def place(self) -> str:
        """The path without links, or the address."""
        return os.path.realpath(self.target) if self.is_local else self.target.rstrip("/")

    @property
    def stage(self) -> str:
        """Where files are written until all are whole."""
        if not self.is_local:
            return f"{self.place}/_unfinished-{self.run}"
        path = Path(self.place)
        return str(path.with_name(f".{path.name}.{self.run}.part"))

    # -- before the work -------------------------------------------------------------------------

    def check(self, option: str = "", *, names: Iterable[str] = (), remedy: str = "") -> None:
        """Raise before any work if the folder cannot be written, or if files are in the way.

        Parameters
        ----------
        option : str
            Option of the command line, for messages.
        names : iterable of str
            The files to be written, as far as they are known.
        remedy : str
            What else can be done about a folder that exists.
        """
        prefix = f"{option}: " if option else ""
        path = Path(self.place)
        if self.is_local and (path.exists() and not path.is_dir()):
            raise InputError(f"{prefix}{self.target} is a file; name a folder")
        if self.is_local and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise InputError(f"{prefix}{path.parent} is not a folder that you can write to")
        files = self._listed()
        if not files:
            return
        if not (self.overwrite or self.append):
            raise InputError(
                f"{prefix}{self.target} exists already; choose another folder, or allow the files "
                f"that were written there to be replaced (overwrite=True, --force){remedy}"
            )
        manifest = self.manifest()
        if manifest is None:
            raise InputError(
                f"{prefix}{self.target} has files that are no earlier output (there is no "
                f"{MANIFEST}); choose another folder"
            )
        changed = self._changed(manifest, files)
        if changed:
            raise InputError(
                f"{prefix}{_shown(changed)} in {self.target} changed since the output was written; "
                "move what is yours, or choose another folder"
            )
        foreign = sorted(set(names) & files.keys() - manifest.files.keys())
        if foreign:
            raise InputError(
                f"{prefix}{_shown(foreign)} in {self.target} would be replaced, and no earlier "
                "output wrote it; move it, or choose another folder"
            )

    def _changed(self, manifest: Manifest, files: Mapping[str, FileInfo]) -> list[str]:
        """Files that are not as they were written; for further files, sizes are compared."""
        present = [file for name, file in manifest.files.items() if name in files]
        if not self.overwrite:
            return [file.name for file in present if file.size != files[file.name].size]
        filesystem, folder = filesystem_of(self.place)
        return [
            file.name
            for file in present
            if _digest_at(filesystem, f"{folder}/{file.name}") not in file.digests
        ]

    def manifest(self) -> Manifest | None:
        """What an earlier output wrote; None without a manifest."""
        filesystem, folder = filesystem_of(self.place)
        path = f"{folder}/{MANIFEST}"
        if not filesystem.get_file_info(path).is_file:
            return None
        with filesystem.open_input_stream(path) as stream:
            return Manifest.of(stream.read(), self.target)

    def names(self) -> frozenset[str]:
        """Names of the files that an earlier output wrote and that are there."""
        manifest = self.manifest()
        return (
            frozenset()
            if manifest is None
            else frozenset(manifest.files.keys() & self._listed().keys())
        )

    @property
    def is_written(self) -> bool:
        """Whether this output has put its files in their places."""
        manifest = self.manifest()
        return manifest is not None and manifest.run == self.run

    def _listed(self) -> dict[str, FileInfo]:
        """The files in the folder by their names."""
        from pyarrow import fs

        filesystem, folder = filesystem_of(self.place)
        selector = fs.FileSelector(folder, recursive=True, allow_not_found=True)
        return {
            posixpath.relpath(entry.path, folder): entry
            for entry in filesystem.get_file_info(selector)
            if entry.is_file
        }

    # -- the work --------------------------------------------------------------------------------

    @contextmanager
    def file(self, name: str) -> Iterator[HashedFile]:
        """A file of the stage to write in; it is whole when the block ends, or absent.

        Its :meth:`HashedFile.written` goes to the process that has the folder open. A job that is
        repeated on another worker may write at the same time.
        """
        import pyarrow as pa

        filesystem, folder = filesystem_of(self.stage)
        path = f"{folder}/{name}"
        # an object at an address appears when it is closed
        partial = f"{path}.{secrets.token_hex(4)}" if self.is_local else path
        try:
            filesystem.create_dir(posixpath.dirname(path), recursive=True)
            with filesystem.open_output_stream(partial) as stream:
                file = HashedFile(name, stream)
                yield file
            if partial != path:
                filesystem.move(partial, path)
        except (OSError, pa.ArrowException) as error:
            with suppress(OSError, pa.ArrowException):
                filesystem.delete_file(partial)
            raise StorageError(f"{path} could not be written: {error}") from None

    @contextmanager
    def opened(self, names: Iterable[str]) -> Iterator[dict[str, WrittenFile]]:
        """Put the files in their places when the block ends; nothing is left if it fails.

        Parameters
        ----------
        names : iterable of str
            The files to be written.

        Yields
        ------
        dict
            The block adds the files that are whole. If some of ``names`` are missing, there is no
            ``_SUCCESS``, and files of an earlier output are not replaced: KeyboardInterrupt.
        """
        names = list(names)
        self.check(names=names)
        filesystem, stage = filesystem_of(self.stage)
        finished: dict[str, WrittenFile] = {}
        try:
            if self.is_local:
                filesystem.create_dir(stage, recursive=False)
            yield finished
            with _uninterrupted():
                self._place(finished, is_complete=len(finished) == len(names))
        finally:
            _remove_folder(filesystem, stage)

    def _place(self, finished: dict[str, WrittenFile], *, is_complete: bool) -> None:
        """Move the files from the stage to their places, and remove those that they replace."""
        files, earlier = self._listed(), self.manifest()
        stage = posixpath.basename(self.stage)
        files = {name: info for name, info in files.items() if not name.startswith(f"{stage}/")}
        if not files and self.is_local:
            self._appear(finished)
            return
        before = {} if earlier is None else earlier.files
        if not is_complete and before and not self.append:
            raise KeyboardInterrupt
        if files:
            self.check(names=finished)
        filesystem, folder = filesystem_of(self.place)
        _, staged = filesystem_of(self.stage)
        both = {**before, **finished}
        for name in before.keys() & finished.keys():
            digests = (*before[name].digests, *finished[name].digests)
            both[name] = WrittenFile(name, finished[name].size, digests)
        self._write(MANIFEST, Manifest(f"{self.run} unfinished", both).to_bytes())
        if SUCCESS in before and SUCCESS in files:
            filesystem.delete_file(f"{folder}/{SUCCESS}")
        for name in finished:
            filesystem.create_dir(posixpath.dirname(f"{folder}/{name}"), recursive=True)
            filesystem.move(f"{staged}/{name}", f"{folder}/{name}")
            if filesystem.get_file_info(f"{folder}/{name}").size != finished[name].size:
                raise StorageError(
                    f"{self.target}: {name} did not arrive whole; the store copies no objects? "
                    "Write the same again to another folder"
                )
        previous = before if self.append else {}
        for name in sorted(before.keys() & files.keys() - finished.keys() - previous.keys()):
            if name != SUCCESS:
                filesystem.delete_file(f"{folder}/{name}")
        entries = {**previous, **finished}
        entries.pop(SUCCESS, None)
        if not self.is_local and is_complete:
            entries[SUCCESS] = WrittenFile(SUCCESS, 0, (hashlib.sha256().hexdigest(),))
        self._write(MANIFEST, Manifest(self.run, entries).to_bytes())
        if SUCCESS in entries:
            self._write(SUCCESS, b"")

    def _appear(self, finished: dict[str, WrittenFile]) -> None:
        """Let a folder on a disk appear whole, where there is none, or an empty one."""
        stage, target = Path(self.stage), Path(self.place)
        for path in [path for path in stage.rglob("*") if path.is_file()]:
            if path.relative_to(stage).as_posix() not in finished:
                path.unlink()
        (stage / MANIFEST).write_bytes(Manifest(self.run, finished).to_bytes())
        if target.exists():
            target.rmdir()
        stage.rename(target)

    def _write(self, name: str, content: bytes) -> None:
        """Write a small file of the folder itself, at once."""
        filesystem, folder = filesystem_of(self.place)
        if self.is_local:
            beside = Path(folder, f".{name}.{self.run}")
            beside.write_bytes(content)
            os.replace(beside, Path(folder, name))
            return
        with filesystem.open_output_stream(f"{folder}/{name}") as stream:
            stream.write(content)


class HashedFile(io.RawIOBase):
    """A file of a folder that is written from its beginning to its end, with its digest."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self._name, self._stream = name, stream
        self._size, self._hash = 0, hashlib.sha256()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, content: Any) -> int:
        """Write bytes, and count them."""
        self._stream.write(content)
        self._hash.update(content)
        n_bytes = memoryview(content).nbytes
        self._size += n_bytes
        return n_bytes

    def tell(self) -> int:
        """Number of bytes so far."""
        return self._size

    def written(self) -> WrittenFile:
        """What was written."""
        return WrittenFile(self._name, self._size, (self._hash.hexdigest(),))


def without_outputs(names: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Names of the files below a folder without subfolders of outputs, and a note on these.

    >>> outputs = ["labels/_sortal_manifest.json", "labels/a.parquet"]
    >>> names, notes = without_outputs(["a.csv", *outputs])
    >>> sorted(names), notes
    (['a.csv'], ("The folder 'labels' is not read: sortal wrote it.",))
    """
    every = list(names)
    outputs = {posixpath.dirname(name) for name in every if posixpath.basename(name) == MANIFEST}
    outputs.discard("")
    if not outputs:
        return frozenset(every), ()
    inputs = frozenset(
        name for name in every if not outputs.intersection(map(str, PurePosixPath(name).parents))
    )
    listed = _shown(sorted(outputs))
    subject = f"The folder {listed} is" if len(outputs) == 1 else f"The folders {listed} are"
    return inputs, (f"{subject} not read: sortal wrote {'it' if len(outputs) == 1 else 'them'}.",)


def _digest(content: dict[str, Any]) -> str:
    """Digest of the content of a manifest."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _digest_at(filesystem: FileSystem, path: str) -> str:
    """Digest of a file at an address."""
    digest = hashlib.sha256()
    with filesystem.open_input_stream(path) as stream:
        while piece := stream.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def _remove_folder(filesystem: FileSystem, stage: str) -> None:
    """Remove a stage, as far as it is still there."""
    import pyarrow as pa
    from pyarrow import fs

    with suppress(OSError, pa.ArrowException):
        if filesystem.get_file_info(stage).type != fs.FileType.NotFound:
            filesystem.delete_dir(stage)


def _shown(names: list[str]) -> str:
    """The first names of files, in words."""
    return ", ".join(map(repr, names[:3])) + ", ..." * (len(names) > 3)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the block ends."""
    came: list[int] = []
    handlers: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers[number] = signal.signal(number, lambda n, _: came.append(n))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for first in came[:1]:
        signal.raise_signal(first)

"""Labels of tables in parts: a folder of Parquet files, whole or absent."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from karat.datasets.partitions import filesystem_of
from karat.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    import pyarrow as pa

#: a file that is written last to a folder at an address, where nothing can be renamed
SUCCESS = "_SUCCESS"


@dataclass(frozen=True)
class LabelFolder:
    """A folder with a Parquet file for each part of a table.

    On a disk, files are written to a folder beside it, which is renamed at the end. At an address
    the file ``_SUCCESS`` comes last.

    Attributes
    ----------
    target : str
        Path or address.
    overwrite, append : bool
        Whether what is there is replaced, or kept and only the files of further parts written.
    """

    target: str
    overwrite: bool = False
    append: bool = False

    @property
    def is_local(self) -> bool:
        """Whether it is on a disk."""
        return "://" not in self.target

    @property
    def stage(self) -> str:
        """Where files are written until all are whole."""
        if not self.is_local:
            return self.target.rstrip("/")
        path = Path(os.path.abspath(self.target))
        return str(path.with_name(f".{path.name}.part"))

    def check(self, option: str) -> None:
        """Raise before any work if the folder cannot be written."""
        if self.is_local:
            path = Path(os.path.abspath(self.target))
            if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
                raise InputError(f"{option}: {path.parent} is not a folder that you can write to")
            is_there = path.exists() and not (path.is_dir() and not any(path.iterdir()))
        else:
            is_there = bool(self.files())
        if is_there and not (self.overwrite or self.append):
            raise InputError(
                f"{option}: {self.target} exists already; choose another folder, replace it "
                "(overwrite=True, --force) or add the labels of further files (append=True, "
                "--append)"
            )

    def files(self) -> frozenset[str]:
        """Names of the parts whose labels are there, without their suffix."""
        from pyarrow import fs

        filesystem, path = filesystem_of(self.target)
        selector = fs.FileSelector(path, recursive=True, allow_not_found=True)
        return frozenset(
            os.path.relpath(entry.path, path).removesuffix(".parquet")
            for entry in filesystem.get_file_info(selector)
            if entry.path.endswith(".parquet")
        )

    def write(self, name: str, tables: Iterator[pa.Table]) -> None:
        """Write the labels of a part; a file is whole or absent."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        filesystem, folder = filesystem_of(self.stage)
        path = f"{folder}/{name}.parquet"
        filesystem.create_dir(path.rpartition("/")[0], recursive=True)
        # a job that is repeated on another worker may write at the same time
        written = f"{path}.{os.getpid()}" if self.is_local else path
        first = next(tables)
        options = {"use_dictionary": ["name"], "column_encoding": {"row": "DELTA_BINARY_PACKED"}}
        try:
            with (
                filesystem.open_output_stream(written) as stream,
                pq.ParquetWriter(stream, first.schema, **options) as writer,
            ):
                writer.write_table(first)
                for table in tables:
                    writer.write_table(table)
            if self.is_local:
                os.replace(written, path)
        except (OSError, pa.ArrowException) as error:
            raise StorageError(f"{path} could not be written: {error}") from None

    def _remove(self, names: Sequence[str]) -> None:
        """Remove the files of parts, as far as they were written."""
        from pyarrow import fs

        filesystem, folder = filesystem_of(self.stage)
        paths = [f"{folder}/{name}.parquet" for name in names]
        for info in filesystem.get_file_info(paths) if paths else ():
            if info.type == fs.FileType.File:
                filesystem.delete_file(info.path)

    @contextmanager
    def opened(self) -> Iterator[list[str]]:
        """Put the files in their place if the block ends; remove them if it fails.

        The block may list parts that are unfinished. Their files are removed, there is no
        ``_SUCCESS``, and labels that were there are not replaced.
        """
        unfinished: list[str] = []
        stage, target = Path(self.stage), Path(os.path.abspath(self.target))
        if self.is_local:
            shutil.rmtree(stage, ignore_errors=True)
            stage.mkdir()
        elif self.overwrite and not self.append and self.files():
            filesystem, path = filesystem_of(self.target)
            filesystem.delete_dir_contents(path)
        try:
            yield unfinished
            self._remove(unfinished)
            if not self.is_local:
                if unfinished:
                    return
                filesystem, path = filesystem_of(self.target)
                with filesystem.open_output_stream(f"{path}/{SUCCESS}"):
                    pass
            elif self.append and target.exists():
                for file in [path for path in stage.rglob("*") if path.is_file()]:
                    place = target / file.relative_to(stage)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    os.replace(file, place)
            elif unfinished and target.exists() and any(target.iterdir()):
                raise KeyboardInterrupt
            else:
                old = target.with_name(f".{target.name}.old")
                shutil.rmtree(old, ignore_errors=True)
                if target.exists():
                    target.rename(old)
                stage.rename(target)
                shutil.rmtree(old, ignore_errors=True)
        finally:
            if self.is_local:
                shutil.rmtree(stage, ignore_errors=True)

"""Labels of tables in parts: a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortal.runtime.output import OutputFolder
from sortal.runtime.validation import StorageError

if TYPE_CHECKING:
    import pyarrow as pa

    from sortal.runtime.output import WrittenFile

SUFFIX = ".parquet"


@dataclass(frozen=True)
class LabelFolder(OutputFolder):
    """A folder with a Parquet file for each part of a table; see :class:`OutputFolder`."""

    def parts(self) -> frozenset[str]:
        """Names of the parts whose labels an earlier output wrote."""
        names = (name for name in self.names() if name.endswith(SUFFIX))
        return frozenset(name.removesuffix(SUFFIX) for name in names)

    def write(self, part: str, tables: Iterator[pa.Table]) -> WrittenFile:
        """Write the labels of a part to the stage; a file is whole or absent."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        first = next(tables)
        options: Any = {
            "use_dictionary": ["name"], "column_encoding": {"row": "DELTA_BINARY_PACKED"}
        }  # fmt: skip
        with self.file(f"{part}{SUFFIX}") as file:
            try:
                with pq.ParquetWriter(file, first.schema, **options) as writer:
                    writer.write_table(first)
                    for table in tables:
                        writer.write_table(table)
            except pa.ArrowException as error:
                raise StorageError(f"{part}{SUFFIX} could not be written: {error}") from None
        return file.written()

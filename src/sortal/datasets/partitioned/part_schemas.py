"""Columns and types of the files of a table: one schema, and what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.dataset import Fragment
    from pyarrow.fs import FileSystem

    from sortal.datasets.formats.text_layout import TextLayout

#: bytes of a text file in which its header is sought
HEAD_BYTES = 2**22


def check_headers(filesystem: FileSystem, files: list[str], layout: TextLayout) -> None:
    """Raise for a file with another header line than the first: Arrow matches by position."""
    from sortal.runtime.threads import in_order

    def header(file: str) -> bytes:
        """The header line of a file, without quotes."""
        with filesystem.open_input_stream(file, compression="detect") as stream:
            lines = stream.read(HEAD_BYTES).split(b"\n", layout.skip)[: layout.skip]
        return lines[-1].removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip()

    if layout.has_header and len(files) > 1:
        first, *others = in_order(header, files)
        for file, line in zip(files[1:], others, strict=True):
            if line != first:
                raise InputError(
                    f"{file} has another header line than {files[0]}; parts of a table need the "
                    "same columns in the same order: name the files of one, as in 'part-*.csv'"
                )


def file_schemas(fragments: Sequence[Fragment]) -> list[tuple[str, pa.Schema]]:
    """Path and schema of each file; raises for one without columns."""
    from sortal.runtime.threads import in_order

    schemas = in_order(lambda fragment: fragment.physical_schema, fragments)
    paths = [getattr(fragment, "path", "a part") for fragment in fragments]
    named = list(zip(paths, schemas, strict=True))
    for path, schema in named:
        if not schema.names:
            raise InputError(
                f"{path} has no columns; parts of a table need those of the others: write the "
                "file again, or move it elsewhere"
            )
    return named


def common_schema(schema: pa.Schema, files: Sequence[tuple[str, pa.Schema]]) -> pa.Schema:
    """The schema of the first file, with the types that hold the values of all files.

    Raises for a column that is, say, text in one file and numbers in another.
    """
    import pyarrow as pa

    for j, name in enumerate(schema.names):
        common, first = schema.field(j), None
        for path, of_file in files:
            if of_file.get_field_index(name) < 0:
                continue
            field = of_file.field(name)
            first = first or (path, field)
            try:
                common = _wider(common, field)
            except (pa.ArrowTypeError, pa.ArrowInvalid):
                raise InputError(
                    f"{name!r} is {_words(field.type)} in {path} and {_words(first[1].type)} in "
                    f"{first[0]}; parts of a table need one type: write the file again, or move it "
                    "elsewhere"
                ) from None
        schema = schema.set(j, common)
    return schema


def _wider(first: pa.Field, second: pa.Field) -> pa.Field:
    """A field that has the values of both."""
    import pyarrow as pa

    if first.type == second.type or (_is_text(first.type) and _is_text(second.type)):
        return first
    fields = (pa.schema([field.with_nullable(True)]) for field in (first, second))
    return pa.unify_schemas(list(fields), promote_options="permissive").field(0)


def _is_text(dtype: pa.DataType) -> bool:
    """Whether a type is text, also of categories."""
    import pyarrow as pa

    values = dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    return bool(pa.types.is_string(values) or pa.types.is_large_string(values))


def _words(dtype: pa.DataType) -> str:
    """A type in words."""
    return "text" if _is_text(dtype) else f"of type {dtype}"


def column_notes(schema: pa.Schema, files: Sequence[tuple[str, pa.Schema]]) -> Iterator[str]:
    """Notes on columns that only some of the files have."""
    for name in sorted({name for _, of_file in files for name in of_file.names}):
        lacking = [path for path, of_file in files if name not in of_file.names]
        if lacking and name in schema.names:
            yield f"{name!r} is missing in {len(lacking):,} of {len(files):,} files ({lacking[0]})."
        elif lacking:
            more = next(path for path, of_file in files if name in of_file.names)
            yield f"{name!r} is not used: {files[0][0]}, the first file, lacks it ({more} has it)."

"""Named records that other packages can add to: measures, clusterers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Generic, Protocol, TypeVar

from sortal.runtime.validation import InputError, unknown_name

__all__ = ["Keyed", "Registry"]


class Keyed(Protocol):
    """A record with a key."""

    @property
    def key(self) -> str:
        """The record's name in tables and on the command line."""
        ...


R = TypeVar("R", bound=Keyed)


class Registry(Mapping[str, R], Generic[R]):
    """Records by key: sortal's own first, then those of installed packages.

    Parameters
    ----------
    kind : str
        The kind of record in one word, for messages.
    group : str
        Entry-point group. An entry point of it names a record, or an iterable of records.
    records : iterable of records, optional
        sortal's own.
    """

    def __init__(self, kind: str, group: str, records: Iterable[R] = ()) -> None:
        self._kind = kind
        self._group = group
        self._records: dict[str, R] = {}
        self._entry_points_loaded = False
        for record in records:
            self.add(record)

    def add(self, record: R) -> R:
        """Add one record and return it; its key must be new.

        Adding the same definition again does nothing: a module may be imported under two names.
        """
        present = self._records.setdefault(record.key, record)
        if present is not record and _definition(present) != _definition(record):
            raise InputError(f"there is already a {self._kind} {record.key!r}; choose another key")
        return present

    def _all(self) -> dict[str, R]:
        """Every record, those of entry points loaded at first use."""
        if not self._entry_points_loaded:
            self._entry_points_loaded = True
            from importlib.metadata import entry_points

            for point in entry_points(group=self._group):
                loaded = point.load()
                for record in loaded if isinstance(loaded, Iterable) else [loaded]:
                    self.add(record)
        return self._records

    def __getitem__(self, key: str) -> R:
        records = self._all()
        if key not in records:
            raise unknown_name(key, records, self._kind)
        return records[key]

    def __contains__(self, key: object) -> bool:
        return key in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _definition(record: Any) -> list[Any]:
    """Values of a record's fields, with functions as the place where they are written."""
    values = [getattr(record, field.name) for field in fields(record)]
    codes = [getattr(value, "__code__", None) for value in values]
    return [
        (code.co_filename, code.co_firstlineno) if code else value
        for code, value in zip(codes, values, strict=True)
    ]

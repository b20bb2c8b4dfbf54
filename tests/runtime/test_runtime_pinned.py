"""What validation says of bad input, and what small helpers give, so that none changes unseen.

``PYTHONPATH=tests python tests/runtime/test_runtime_pinned.py`` writes
``test_runtime_pinned.json`` anew.
"""

from __future__ import annotations

import concurrent.futures as futures
import errno
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import karat
from karat.runtime import (
    array_files,
    csv_text,
    draws,
    executors,
    extras,
    kept_file,
    numerals,
    output,
    registry,
    resources,
    synonyms,
    threads,
    user_folder,
    validation,
)
from pinning import Pins, fails


def within(work: Callable[[Path], Any]) -> Any:
    """What happens in an empty folder, whose name is left out."""
    with tempfile.TemporaryDirectory() as folder:
        result = work(Path(folder))
        text = isinstance(result, str)
        told = [result] if text else result
        told = [one.replace(folder, "HERE") if isinstance(one, str) else one for one in told]
        return told[0] if text else told


def damaged(change: Callable[[bytearray], Any], kind: Any = kept_file.STUDY) -> str:
    """What is said of a file whose bytes were changed."""

    def work(folder: Path) -> str:
        path = folder / "a.karat"
        with closing(kept_file.EntryFile(path, kept_file.STUDY, {"a": 1})):
            pass
        content = bytearray(path.read_bytes())
        changed = change(content)
        path.write_bytes(content if changed is None else changed)
        return fails(kept_file.EntryFile, path, kind, {})

    return within(work)


def entries(work: Callable[[Any], Any]) -> Any:
    with closing(kept_file.EntryFile(None, kept_file.STUDY, {"a": 1})) as file:
        return work(file)


def put(file: Any, *rows: Any, replace: bool = False) -> Any:
    with file.transaction():
        for kind, contents in rows:
            file.put(kind, contents, replace=replace)
    return file


def system_error(number: int) -> OSError:
    return OSError(number, f"error {errno.errorcode[number]}")


class Recorded(futures.Executor):
    """An executor that runs at once and remembers how many items each job has."""

    def __init__(self, scatters: bool = False) -> None:
        self.sent: list[Any] = []
        if scatters:
            self.scatter = lambda value: self.sent.append(value) or value

    def submit(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.sent.append(len(args))
        future: futures.Future[Any] = futures.Future()
        future.set_result(function(*args))
        return future


def csr(
    data: Any, indices: Any, indptr: Any, shape: Any = (2, 3), kind: Any = sparse.csr_array
) -> Any:
    made = kind(shape)
    made.data, made.indices, made.indptr = map(np.array, (data, indices, indptr))
    return made


class Torch:
    """A tensor that is none: half as many digits come as floats."""

    __module__ = "torch.odd"

    def __init__(self, dtype: str, broken: bool = False) -> None:
        self.dtype, self.broken = dtype, broken

    def detach(self) -> Torch:
        return self

    cpu = detach

    def float(self) -> Any:
        return Some(numpy=lambda: np.array([[1.5, 2]]))

    def numpy(self) -> Any:
        if self.broken:
            raise TypeError("no numbers")
        return np.array([[3.0, 4]])


def state(**variables: str) -> str:
    with (
        mock.patch.dict("os.environ", variables, clear=True),
        mock.patch.object(Path, "home", return_value=Path("/home/me")),
    ):
        return user_folder.state_folder().as_posix()


def plugged(loaded: Any) -> list[str]:
    point = Some(load=lambda: loaded)
    with mock.patch("importlib.metadata.entry_points", return_value=[point]):
        return list(registry.Registry("thing", "some.group", [Some(key="own")]))


@cache
def names() -> dict[str, Any]:
    return {
        **{module.__name__.rpartition(".")[2]: module for module in (
            array_files, csv_text, draws, executors, extras, kept_file, numerals, output, registry, resources,
            synonyms, threads, user_folder, validation)},
        "np": np, "pd": pd, "sparse": sparse, "karat": karat, "Some": Some, "within": within, "damaged": damaged,
        "entries": entries, "put": put, "Path": Path, "errno": errno, "OS": system_error, "sqlite3": sqlite3, "csr": csr,
        "S": pd.Series, "T": pd.DataFrame, "Recorded": Recorded, "futures": futures, "Torch": Torch, "state": state, "plugged": plugged,
        "C": validation.check_data, "W": validation.check_sample_weight,
        "O": lambda a, b: validation.in_order_of(a, b, name="X", other_name="y"),
    }  # fmt: skip


EXPRESSIONS = [
    # data
    *(f"fails(C, {X})" for X in (
        "[1, 2]", "3", "[]", "[[]]", "np.zeros((0, 2))", "np.zeros((2, 0))", "np.zeros((2, 2, 2))", "[['a', 'b']]", "[[1, 'a']]", "[[1, b'x'], [2, 3]]", "[[1, 2], [3]]", "[[1, 2], 3]", "[[1j, 2]]",
        "np.array([['2020-01-01']], dtype='M8[D]')", "[[np.nan, 1]]", "[[1, np.nan], [np.inf, -np.inf], [np.nan, 2]]", "[[np.inf]]", "[[-np.inf, 1]]", "[[1e160, 1]]", "[[-1e160, 1], [0, 1]]", "[[1e-160, 0]]", "[[0, -1e-170]]",
        "np.array([[1e20, 1]], dtype=np.float32)", "np.array([[1e-20, 0]], dtype=np.float32)", "sparse.csr_array([[1e160, 0]])", "sparse.csr_array([[0, 1.0], [np.nan, np.inf]])", "sparse.csr_array([[0, 1e-170]])",
        "sparse.csr_array(np.array([[1j]]))", "sparse.csr_array((0, 3))", "sparse.csr_array((3, 0))", "sparse.coo_array(np.ones(3))", "csr([1.0], [9], [0, 1, 1])", "csr([1.0], [0], [0, 2, 1])", "csr([1.0], [0.5], [0, 1, 1])",
        "csr([1.0], [0], [0, 1.0, 1])", "csr([1.0, 2], [0, 9], [0, 1, 1, 2], kind=sparse.csc_array)", "np.ma.masked_array([['a']])", "np.ma.masked_array([[1.0, 2]], [[True, False]])", "Some(obs=1, obsm={'p': 1, 'q': 2}, obs_names=1)",
        "[[None, 'x']]", "[[10 ** 400, 'x']]", "[[10 ** 400, 1.5]]", "pd.DataFrame({'a': ['x', 'y']})", "pd.Series([1, 2])", "pd.DataFrame({'a': pd.array([1, None], dtype='Int64')})")),
    "fails(C, [1, 2], name='truth')",
    *(f"[C({X}), str(C({X}).dtype), type(C({X})).__name__]" for X in (
        "[[1, 2], [3, 4]]", "[[True, False]]", "np.ones((1, 2), dtype=np.float32)", "np.asfortranarray(np.arange(6.0).reshape(2, 3))", "np.array([[1, 2.5]], dtype=object)", "[[0, 0]]", "[[1e100, 1e-100]]", "np.ma.masked_array([[1, 2]], dtype=int)",
        "pd.DataFrame({'a': pd.array([1, 2], dtype='Int64'), 'b': [1.5, 2]})", "pd.DataFrame({'a': [1, 2], 'b': [True, False]})", "np.ma.masked_array(np.ones((1, 2), dtype=np.float32))", "np.array([[1, 2]], dtype='>f8')", "np.array([[1, 2]], dtype=np.float16)")),
    *(f"[M.toarray(), str(M.dtype), str(M.indices.dtype), str(M.indptr.dtype), M.has_canonical_format] if (M := C({X})) is not None else 0" for X in (
        "sparse.csr_array([[1, 0, 2]])", "sparse.coo_array(([1.0, 2, 3], ([0, 0, 1], [1, 1, 0])))", "csr([1.0, 2], [2, 0], [0, 2, 2])", "sparse.csr_array(np.eye(2, dtype=np.float32))", "csr([1.0], np.array([0], dtype=np.int64), np.array([0, 1, 1], dtype=np.int64))",
        "sparse.csc_array([[True, False]])", "sparse.csr_array((2, 2))")),
    "[validation.as_numbers(X) for X in ([[1, None]], [[np.nan, 2]], [[pd.NA, 3]], pd.DataFrame({'a': pd.array([1, None], dtype='Int64')}))]",
    "[validation.largest_value(np.dtype(t)) for t in ('f4', 'f8')], [validation.smallest_value(np.dtype(t)) for t in ('f4', 'f8')]",
    "[validation.beyond_squares('x', np.dtype('f8'), small=s, scalable=c) for s in (True, False) for c in (True, False)]",
    "[str(validation.unknown_name(*one)) for one in (('kmean', ['kmeans', 'ward', 'kmedoids'], 'clusterer'), ('zzz', ['b', 'a'], 'thing'), ('zzz', [f'n{i:02}' for i in range(40)], 'thing'),"
    " ('zzz', [f'n{i:02}' for i in range(41)], 'thing'), ('ab', ['abc', 'abd', 'abe', 'abf'], 'thing'), (3, ['x'], 'thing'))]",
    "fails(validation.check_choice, 'a', ('b', 3), 'kind'), validation.check_choice('b', iter('ab'), 'kind')",
    "[validation._sparse_position(sparse.csr_array([[0, 1], [0, 0], [2, 3]]), i) for i in range(3)]",
    # weights, indexes, random numbers
    *(f"fails(W, {w}, {n})" for w, n in (("[1, 2]", 3), ("[[1, 2]]", 2), ("[[1, 2]]", None), ("[1, -1, np.nan]", 3), ("[1, np.inf]", 2), ("[0, 0]", 2), ("['a']", 1), ("[1, [2]]", 2), ("'x' * 200", 1))),
    "W([1, 0, 2], 3), W([1, 2], None), W([True, False], 2)",
    *(f"O({a}, {b})" for a, b in (
        ("T({'x': [1, 2]}, index=['a', 'b'])", "S([0, 1], ['b', 'a'])"), ("T({'x': [1, 2]})", "[1, 2]"), ("T({'x': [1, 2]}, index=[7, 8])", "S([0, 1], ['8', '7'])"),
        ("{'a': 1, 'b': T({'x': [1, 2]}, index=['a', 'b'])}", "S([0, 1], ['b', 'a'])"), ("T({'x': [1, 2]}, index=['a', 'b'])", "{'p': S([0, 1], ['b', 'a']), 'q': [3, 4]}"), ("T({'x': [1, 2]}, index=['a', 'b'])", "[S([0, 1], ['b', 'a'])]"),
        ("3", "{'p': S([0, 1], ['b', 'a']), 'q': S([0, 1], ['a', 'b'])}"), ("T({'x': [1, 2]}, index=['a', 'b'])", "S([0, 1, 2])"), ("T({'x': [1, 2]}, index=['a', 'b'])", "[]"))),
    *(f"fails(O, {a}, {b})" for a, b in (
        ("T({'x': [1, 2]})", "S([0, 1], ['b', 'a'])"), ("T({'x': [1, 2]}, index=['a', 'b'])", "S([0, 1])"), ("T({'x': [1, 2]}, index=['a', 'a'])", "S([0, 1], ['a', 'b'])"), ("T({'x': [1, 2]}, index=['a', 'b'])", "S([0, 1], ['b', 'b'])"),
        ("T({'x': [1, 2]}, index=['a', 'b'])", "S([0, 1], ['a', 'c'])"), ("T({'x': [1] * 5}, index=list('abcde'))", "{'k': S([0] * 5, list('vwxyz'))}"), ("T({'x': [1, 2]}, index=[7, 8])", "S([0, 1], ['8', 8])"))),
    "[validation.check_random_state(s).integers(1000) for s in (0, np.int64(3), np.random.RandomState(1), np.random.default_rng(5))]", "fails(validation.check_random_state, -1)",
    # registries, packages, names
    "fails(registry.Registry('thing', 'no.group', [Some(key='a')]).__getitem__, 'b')",
    "[list(r), len(r), 'a' in r, 'z' in r, r['a'].key] if (r := registry.Registry('thing', 'no.group', [Some(key='a'), Some(key='b')])) is not None else 0",
    "fails(karat.measures.catalogue.add, __import__('dataclasses').replace(karat.measures.catalogue['silhouette'], family='odd'))",
    "karat.measures.catalogue.add(__import__('dataclasses').replace(karat.measures.catalogue['silhouette'])).key",
    "[synonyms.hint(n) for n in (*synonyms.SCIKIT_LEARN, 'nothing')]",
    "[csv_text.escape_formula(v) for v in ('=1', '+1', '-1', '@a', '\\ta', '-1.200,5 %', '+x', '- 5 €', '-inf', '-1e5', '-e', '', 3)]",
    "csv_text.to_csv(T({'=a': ['=1', 'b'], 'n': [-1, 2.5]})), csv_text.to_csv(T({'a': [1]}), header=False, sep=';')",
    "[draws.draw_rows(*one, 0) for one in ((3, 3), (3, 2), (np.array([5, 7, 9]), 2), (np.array([9, 5, 7], dtype=np.int32), 3), (0, 5))]",
    # memory
    "[resources.readable(n) for n in (0, 999, 1000, 12345, 1e6, 999.9e9, 1e12, 1.23e15, 1e18)]",
    "[[(s.start, s.stop) for s in resources.row_blocks(shape)] for shape in ((3, 1), (5, 2 ** 20), (2, 0), (3, 2 ** 22), (4, 2 ** 20))]",
    "[resources.is_large(X) for X in (np.broadcast_to(np.zeros(1), (2 ** 25,)), np.broadcast_to(np.zeros(1), (2 ** 25 - 1,)), [1], sparse.csr_array((2, 2)))]",
    "fails(resources.require_memory, 1e18, 'It', 'use less')[:60], resources.require_memory(0, 'It', 'x')",
    "within(lambda f: [(f / 'a').write_text('MemFree: 3 kB\\nMemAvailable:  12 kB\\nOdd:\\nBad: x kB\\n'), resources._field(f / 'a', 'MemAvailable'), resources._field(f / 'a', 'Mem'),"
    " resources._field(f / 'a', 'Odd'), resources._field(f / 'a', 'Bad'), resources._field(f / 'b', 'x')])",
    "[numerals.number_word(n) for n in (0, 12, 13, 1300)], [numerals.percent(v, *d) for v, d in ((0, ()), (.0994, ()), (.0995, ()), (1, ()), (.5, (2,)))]",
    "[C(Torch(d)) for d in ('torch.bfloat16', 'torch.float32')], fails(C, Torch('torch.float32', True)), validation.on_host([1])",
    "[state(), state(XDG_STATE_HOME='/s'), state(LOCALAPPDATA='/l'), state(XDG_STATE_HOME='/s', LOCALAPPDATA='/l')], [plugged(x) for x in (Some(key='a'), [Some(key='a'), Some(key='b')])]",
    # threads and workers
    "[list(threads.in_order(abs, [-1, 2, -3])), threads.in_threads(abs, []), threads.in_threads(abs, [-1]), threads.in_threads(abs, range(-50, 0))]",
    "[sum(b - a for a, b in out) for n, least in ((5, 256), (10, 1), (512, 256), (1000, 7)) for out in [[]] if threads.in_strips(lambda a, b: out.append((a, b)), n, least=least) is None]",
    "(lambda block: [block.__enter__(), threads.available_cores(), block.__exit__(None, None, None)])(threads.one_core())",
    "[executors.tree_sum([str(i) for i in range(n)], lambda a, b: f'({a}{b})') for n in range(1, 10)]",
    "fails(executors.as_executor, 3), [executors.as_executor(Recorded())[1](5), executors.as_executor(Recorded(True))[1](5)]",
    "[[list(executors.Workers(e).map(lambda *a: sum(a), [1], range(n))), e.sent] for n in (0, 3, 128, 129, 257) for e in [Recorded()]]",
    "[executors.Workers(e).send(v) is v for e in (None, Recorded()) for v in (None, [1])], executors.Workers.of(w := executors.Workers()) is w, w.check()",
    "[len(w._sent) for w in [executors.Workers(Recorded(True))] for _ in [[w.send([i]) for i in range(6)]]], [e.sent for e in [Recorded(True)] for w in [executors.Workers(e)] for v in [[1]] for _ in [[w.send(v), w.send(v)]]]",
    "[str(executors.lost(e)) for e in (futures.CancelledError(), futures.BrokenExecutor(), ValueError(), type('KilledWorker', (Exception,), {})())]",
    # files that are written
    "within(lambda f: [(f / 'a').write_text('x'), fails(output.check_output, f), fails(output.check_output, f / 'b' / 'c'), fails(output.check_output, f / 'a'), fails(output.check_output, f / 'a', option='--report'),"
    " output.check_output(f / 'a', overwrite=True).name, output.check_output(f / 'c').name])",
    "within(lambda f: [output.write_output(f / 'a', 'ä', private=True), output.write_output(f / 'b', b'x'), output.write_output(f / 'b', 'y', overwrite=True), (f / 'a').read_bytes().hex(), (f / 'b').read_text(),"
    " oct((f / 'a').stat().st_mode & 0o777), (f / 'b').stat().st_mode & 0o077 > 0, sorted(p.name for p in f.iterdir())])",
    "[str(output._cannot_write(Path('/x/a'), OS(getattr(errno, n)))) for n in ('ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO')], str(output._cannot_write(Path('/x/a'), OSError('odd')))",
    # files that are read
    "within(lambda f: [np.save(f / 'a.npy', [1.0]), np.savez(f / 'b.npz', a=[1]), np.save(f / 'o.npy', np.array([None]), allow_pickle=True), (f / 't.npy').write_bytes(b'x'), (f / 'u.npz').write_bytes(b'PK'), (f / 'c.npz').write_bytes((f / 'a.npy').read_bytes()),"
    " (f / 'd.npy').write_bytes((f / 'b.npz').read_bytes()), (f / 'e.npy').write_bytes((f / 'a.npy').read_bytes()[:-3]), fails(array_files.load_array, f / 'b.npz'), fails(array_files.load_array, f / 'a.npy', archive=True),"
    " fails(array_files.load_array, f / 'c.npz', archive=True), fails(array_files.load_array, f / 'd.npy'), fails(array_files.load_array, f / 'o.npy'), fails(array_files.load_array, f / 't.npy'), fails(array_files.load_array, f / 'none'),"
    " fails(array_files.load_array, f / 'e.npy'), fails(array_files.load_sparse, f / 'b.npz'), float(array_files.load_array(f / 'a.npy')[0]), str(type(array_files.load_array(f / 'a.npy', mmap_mode='r')).__name__)])",
    # kept files
    "[kept_file._explain(e, p) for e in (sqlite3.OperationalError(t) for t in ('database is locked', 'database or disk is full', 'disk I/O error', 'attempt to write a readonly database', 'unable to open database file', 'could not decode',"
    " 'no such table', 'malformed', 'odd')) for p in (Path('/x/a'), None)], kept_file._explain(sqlite3.DatabaseError('odd'), None), kept_file._explain(sqlite3.ProgrammingError('Cannot operate on a closed database.'), Path('a'))",
    "damaged(lambda b: b[:50])", "damaged(lambda b: b[:99])", "damaged(lambda b: b'x' * 200)", "damaged(lambda b: b[:-1])", "damaged(lambda b: b.__setitem__(68, 1))",
    "damaged(lambda b: None, kept_file.FINISHED_WORK)", "damaged(lambda b: None, kept_file.FileType('study', 0x4B415254, 7))", "damaged(lambda b: b.__setitem__(b.rindex(b'meta'), 0x6E))",
    "within(lambda f: [fails(kept_file.EntryFile, f / 'a', kept_file.STUDY, None), fails(kept_file.EntryFile, f / 'b' / 'a', kept_file.STUDY, {}), fails(kept_file.EntryFile, f, kept_file.STUDY, {}), (f / 'e').write_bytes(b''),"
    " fails(kept_file.EntryFile, f / 'e', kept_file.STUDY, None)])",
    "entries(lambda e: [put(e, ('a', {'x': 1, 'y': b'raw'}), ('b', {'x': np.int64(3)}), ('a', {'x': 2})).contents('a'), e.values('b'), e.contents('a', 'y'), e.contents('a', 'z'), e.n_changes, e.values('meta')])",
    "entries(lambda e: [put(put(e, ('a', {'x': 1, 'y': 2})), ('a', {'x': 3}), replace=True).values('a'), str(e.damaged('it'))])",
    "entries(lambda e: [put(e, ('a', {'x': 1})), e._db.execute(\"UPDATE entries SET content = '2' WHERE key = 'x'\"), fails(e.contents, 'a')][2])",
    "entries(lambda e: [put(e, ('a', {'x': 1})), e._db.execute(\"UPDATE entries SET key = 'y' WHERE key = 'x'\"), fails(e.contents, 'a'), fails(e._check_names)][2:])",
    "within(lambda f: [(k := kept_file.KeptValues(f / 'k')).put('a', [1]), k.get('a'), k.get('b'), kept_file.KeptValues(f / 'k').get('a'), k.put('a', 2), kept_file.KeptValues(f / 'k').get('a'), oct((f / 'k').stat().st_mode & 0o777),"
    " (m := kept_file.KeptValues(None)).put('a', 1), m.get('a')])",
    "within(lambda f: [(e := kept_file.EntryFile(f / 'a', kept_file.STUDY, {'m': 1})).copy_to(f / 'b'), fails(e.copy_to, f / 'b'), fails(kept_file.EntryFile, f / 'a', kept_file.STUDY, {}), e.close(), fails(e.values, 'meta'),"
    " (g := kept_file.EntryFile(f / 'b', kept_file.STUDY, None)).values('meta')['m'], g.close()])",
    "within(lambda f: [oct((f / 'p').stat().st_mode & 0o777) for _ in [kept_file._create_private(f / 'p')]])",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", PINS.kept)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write([*dict.fromkeys([*EXPRESSIONS, *PINS.kept])])

"""What meets a planted fault: the nearest tests that run its line, in a child of this process."""

from __future__ import annotations

import ast
import gc
import json
import os
import re
import resource
import shutil
import signal
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import coverage
import pytest

from faults import SOURCE, Mutant

#: the tests that a fault meets first: so many, and so many seconds of them
FIRST_TESTS, FIRST_SECONDS = 25, 8.0
MEMORY, NOT_SWAPPED = 12 * 2**30, 99
#: seconds that a second of processor time may take
WAITING = 8
OPTIONS = ["-q", "-s", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
#: rooms whose tests stand in folders of other rooms
NEAR = {
    "_kernels": [
        "distances", "clusterers", "labelings", "measures",
        "modes", "dip", "tails", "languages", "dendrogram",
    ],
    "beside": ["smoke", "laws"],
    "cli": [
        "cli", "compare", "run_screen", "external_command", "bound_cli",
        "label_loop", "reading_people", "chat_model",
    ],
    "inference": ["inference", "differing"],
    "nulls": ["nulls", "null"],
    "plot": ["plot", "report_page", "readme"],
}  # fmt: skip


def nearest(root: Path, room: str, cases: bool = False) -> list[str]:
    """The tests of a room: its folder, doctests, files of its name, defaults; with cases, these."""
    folders = ["tests", ".ci/cases"] if cases else ["tests"]
    files = [file for folder in folders for file in (root / folder).rglob("test_*.py")]
    files += (root / SOURCE / room).rglob("[!_]*.py")
    near = NEAR.get(room, [room])
    chosen = [
        str(path.relative_to(root))
        for path in files
        if room in path.relative_to(root).parts
        or path.parent.name in near
        or any(path.name.startswith(f"test_{part}") for part in [*near, "mixed", "signatures"])
    ]
    return sorted(chosen, key=lambda name: (name.startswith("src"), name))


@cache
def functions(root: Path, path: Path) -> list[tuple[str, range, str, bool]]:
    """Functions of a file: qualified name, lines, code, whether Numba compiles it."""
    result = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                if isinstance(child, ast.FunctionDef):
                    lines = range(child.body[0].lineno, (child.end_lineno or 0) + 1)
                    jitted = any("jit" in ast.unparse(part) for part in child.decorator_list)
                    result.append((name, lines, ast.unparse(child), jitted))
                    name += ".<locals>"
                name += "."
            visit(child, name)

    visit(ast.parse((root / path).read_text(encoding="utf8")), "")
    return result


def cached(root: Path, path: Path, line: int) -> set[str]:
    """The function at this line, if its values are kept: only its first caller runs its lines."""
    tree = ast.parse((root / path).read_text(encoding="utf8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.lineno <= line <= (node.end_lineno or 0)
        and any("cache" in ast.unparse(part) for part in node.decorator_list)
    }


def callers(root: Path, path: Path, line: int) -> tuple[set[str], set[Path]]:
    """Compiled functions that have the one at this line inside, itself first, and their files."""
    every = [
        (file.relative_to(root), name, code)
        for file in sorted((root / SOURCE).rglob("*.py"))
        for name, _, code, jitted in functions(root, file.relative_to(root))
        if jitted
    ]
    names = {name for name, at, _, jitted in functions(root, path) if jitted and line in at}
    files = {path} if names else set()
    size = 0
    while names and len(names) > size:
        size = len(names)
        word = re.compile(rf"\b({'|'.join(names)})\b")
        users = [(file, name) for file, name, code in every if word.search(code)]
        names |= {name for _, name in users}
        files |= {file for file, _ in users}
    return names, files


def too_long(number: int, frame: types.FrameType | None) -> None:
    """End a test."""
    pytest.fail("takes too long to meet a fault")


class Planter:
    """A plugin of pytest: where it would run the tests of a room, it plants the room's faults.

    Each fault meets its tests in a child of this process, which has imported everything. A fault
    within a function replaces the code of that function. One outside, or in a compiled function,
    makes the child import sortal anew, as does every fault that seems to survive.
    """

    def __init__(
        self,
        folder: Path,
        room: str,
        faults: Callable[[Planter], None],
        measures: bool,
        longest: float,
    ) -> None:
        self.folder, self.copy, self.room = folder, folder / "copy", room
        self.faults, self.measures, self.longest = faults, measures, longest
        self.failed: set[str] = set()
        #: those that were skipped when they were measured, such as pins of other releases
        self.skipped: set[str] = set()
        #: those that fail or are skipped without a fault, too
        self.failing: set[str] = set()
        self.seconds: dict[str, float] = {}
        self.of_line: dict[str, dict[str, list[str]]] = {}
        self.items: dict[str, pytest.Item] = {}
        self.by_name: dict[tuple[str, str], list[types.FunctionType]] = defaultdict(list)
        self.planted = 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure the tests, then plant."""
        self.items = {item.nodeid: item for item in session.items}
        for function in gc.get_objects():
            if isinstance(function, types.FunctionType):
                code = function.__code__
                self.by_name[code.co_filename, code.co_qualname].append(function)
        gc.freeze()
        if self.measures:
            kept = self.folder / f"{self.room}.json"
            if kept.exists():
                self.load(kept)
            # tests that were added since the last run are measured alone
            known = self.seconds.keys() | self.failing
            if new := [test for test in self.items if test not in known]:
                self.child(lambda: self.measure(kept, new), 7200)
                self.load(kept)
            took, no_use = sum(self.seconds.values()), len(self.failing)
            print(
                f"{self.room}: {len(self.items)} tests, {took:.0f} s; {no_use} fail or are skipped"
            )
        self.faults(self)
        return True

    def load(self, kept: Path) -> None:
        """Add what a measured run kept."""
        stored = json.loads(kept.read_text("utf-8"))
        self.seconds |= stored["seconds"]
        self.failing |= set(stored.get("failing", []))
        self.of_line = {} if kept.stem == self.room else self.of_line
        for file, lines in stored["lines"].items():
            for line, tests in lines.items():
                self.of_line.setdefault(file, {}).setdefault(line, []).extend(tests)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what failed."""
        if report.failed:
            self.failed.add(report.nodeid)
        if report.skipped:
            self.skipped.add(report.nodeid)

    def run(self, tests: list[str], stop: bool = True) -> None:
        """Run some of the collected tests in this process."""
        items = [self.items[test] for test in tests if test in self.items]
        for item, following in zip(items, [*items[1:], None], strict=True):
            begun = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.seconds[item.nodeid] = time.process_time() - begun
            if stop and self.failed:
                break

    def measure(self, kept: Path, tests: list[str]) -> int:
        """Keep which lines each test runs, and how long it takes; what fails or skips is left out.

        So are those that no fault could meet, because they take longer than all of its tests may.
        """
        self.failed |= self.failing
        # without the project's options: kernels, too, are measured where they run uncompiled
        source = [str(self.copy / SOURCE)]
        measuring = coverage.Coverage(data_file=None, config_file=False, source=source)
        measuring.start()
        signal.signal(signal.SIGVTALRM, too_long)
        for test in tests:
            measuring.switch_context(test)
            signal.setitimer(signal.ITIMER_VIRTUAL, self.longest)
            self.run([test], stop=False)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        measuring.stop()
        data, no_use = measuring.get_data(), self.failed | self.skipped
        for name in data.measured_files():
            of_file = self.of_line.setdefault(str(Path(name).relative_to(self.copy)), {})
            for line, running in data.contexts_by_lineno(name).items():
                good = [test for test in running if test and test not in no_use]
                of_file[str(line)] = of_file.get(str(line), []) + good
        good = {test: took for test, took in self.seconds.items() if test not in no_use}
        stored = {"seconds": good, "lines": self.of_line, "failing": sorted(no_use)}
        kept.write_text(json.dumps(stored), encoding="utf-8")
        return 0

    def that_run(self, mutant: Mutant) -> list[str]:
        """Tests that run a line, the quick ones of its file and room first."""
        lines = {int(at): tests for at, tests in self.of_line.get(str(mutant.path), {}).items()}
        around = [at for _, at, _, _ in functions(self.copy, mutant.path) if mutant.line in at]
        tests = set(lines.get(mutant.line, []))
        at_import = False
        names = callers(self.copy, mutant.path, mutant.line)[0]
        if names := names or cached(self.copy, mutant.path, mutant.line):
            tests |= self._that_name(names)
        elif at_import := not around:
            tests = self._at_import(mutant, lines) or set(self.seconds)
        tests = tests or {test for running in lines.values() for test in running}
        stem = f"test_{mutant.path.stem.strip('_')}.py"

        def nearness(test: str) -> tuple[bool, bool, float]:
            return (
                not (at_import and "test_signatures" in test),
                self.seconds.get(test, 1) > (3 if stem in test else 1),
                self.seconds.get(test, 1),
            )

        near, total = [], 0.0
        for test in sorted(tests, key=nearness):
            total += self.seconds.get(test, 1)
            if not near or total <= self.longest:
                near.append(test)
        return near

    def _at_import(self, mutant: Mutant, lines: dict[int, list[str]]) -> set[str]:
        """Tests of what is computed at import: a default of a function, or what has a name."""
        tests = {test for test in self.seconds if "test_signatures" in test}
        for node in ast.walk(ast.parse((self.copy / mutant.path).read_text(encoding="utf8"))):
            if isinstance(node, ast.FunctionDef) and node.lineno <= mutant.line:
                inside = range(node.body[0].lineno, (node.end_lineno or 0) + 1)
                if mutant.line < inside.start:
                    return tests.union(*(lines.get(line, []) for line in inside))
        name = re.match(r"[A-Za-z_]\w*", mutant.before)
        return tests.union(*lines.values(), self._that_name({name[0]}) if name else ())

    def _that_name(self, names: set[str]) -> set[str]:
        """Tests that run a line with one of these names."""
        word, tests = re.compile(rf"\b({'|'.join(names)})\b"), set()
        for file, lines in self.of_line.items():
            text = (self.copy / file).read_text(encoding="utf8").splitlines()
            for number, running in lines.items():
                if int(number) <= len(text) and word.search(text[int(number) - 1]):
                    tests |= set(running)
        return tests

    def child(self, work: Callable[[], int], limit: float) -> int | None:
        """Exit code of work in a child of this process; None if it takes more processor time."""
        log = (self.folder / f"{self.room}.log").open("w")
        child = os.fork()
        if not child:
            code = 1
            with suppress(BaseException):
                os.setsid()
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
                sys.modules["__main__"] = types.ModuleType("__main__")
                code = work()
            os._exit(code)
        begun, status = time.monotonic(), None
        while status is None and time.monotonic() - begun < WAITING * limit:
            ended, raw = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(raw) if ended else time.sleep(0.02)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            os.waitpid(child, 0)
        log.close()
        return None if status == -signal.SIGXCPU else status

    def swapped(self, mutant: Mutant) -> bool:
        """Give the functions of this process the changed code; False if that is not enough."""
        at = [f for f in functions(self.copy, mutant.path) if mutant.line in f[1]]
        if not at or any(jitted for *_, jitted in at):
            return False
        name = min(at, key=lambda function: len(function[0]))[0]
        file = str(self.copy / mutant.path)
        codes = [compile(mutant.code, file, "exec")]
        for code in codes:
            codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
        new = [code for code in codes if code.co_qualname == name]
        olds = self.by_name.get((file, name), [])
        if len(new) != 1 or not olds:
            return False
        for function in olds:
            function.__code__ = new[0]
        return True

    def anew(self, mutant: Mutant, tests: list[str]) -> int:
        """Run tests after everything of the copy is imported anew."""
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None)).startswith(str(self.copy)):
                del sys.modules[name]
        files = callers(self.copy, mutant.path, mutant.line)[1]
        if any(jitted for *_, jitted in functions(self.copy, mutant.path)):
            import numba

            overlay = self.folder / "overlay"
            shutil.rmtree(overlay, ignore_errors=True)
            shutil.copytree(self.folder / "compiled", overlay, copy_function=os.link)
            # a function that was compiled with another one inside does not notice a change of it
            for stored in (stored for file in files for stored in overlay.glob(f"*/{file.stem}.*")):
                stored.unlink()
            numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = str(overlay)
        return int(pytest.main([*OPTIONS, f"--basetemp={self.folder / 'tmp'}", "-x", *tests]))

    def survives(self, mutant: Mutant, tests: list[str], timeout: float) -> bool | None:
        """Whether every test passes; None if they took too long to say."""
        target = self.copy / mutant.path
        kept, stamp = target.read_text(encoding="utf8"), target.stat()
        self.planted += 1
        seconds = [self.seconds.get(test, 1) for test in tests]
        jitted = any(jitted for *_, jitted in functions(self.copy, mutant.path))
        limit = min(timeout, 15 + 90 * jitted + 3 * sum(seconds))
        first = next((i for i in range(len(tests)) if sum(seconds[:i]) > FIRST_SECONDS), len(tests))
        parts = [tests[: min(first, FIRST_TESTS)]]

        def quick() -> int:
            if not self.swapped(mutant):
                return NOT_SWAPPED
            self.run(tests)
            return int(bool(self.failed))

        marker = self.folder / "planted.json"
        marker.write_text(json.dumps([str(target), kept, stamp.st_mtime_ns]), encoding="utf8")
        try:
            target.write_text(mutant.code, encoding="utf8")
            # what is compiled from a file is kept under its time in seconds
            os.utime(target, (stamp.st_mtime + self.planted, stamp.st_mtime + self.planted))
            if (code := self.child(quick, limit)) not in (0, NOT_SWAPPED):
                return None if code is None else False
            # what was computed at import is noticed after a new one, by the nearest tests
            for part in [*parts, tests] if code == NOT_SWAPPED else parts:
                if code := self.child(lambda part=part: self.anew(mutant, part), 15 + limit):
                    return False
                if code is None:
                    return None
            return True
        finally:
            unplant(marker)


def unplant(marker: Path) -> None:
    """Take a fault out of the copy, that of a run that was killed too."""
    if marker.exists():
        target, code, stamp = json.loads(marker.read_text("utf8"))
        Path(target).write_text(code, encoding="utf8")
        os.utime(target, ns=(stamp, stamp))
        marker.unlink()

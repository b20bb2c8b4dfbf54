"""Plant faults in karat, one at a time, and count those that no test notices.

``python .ci/mutants.py --count 200 --seed 1`` draws the faults, the same number from each room (or
from those of ``--rooms``), and plants them in a copy of the repository. Each meets the quick tests
that run its line, as one measured run of the suite found them; a fault in a compiled function,
which is not measured, meets those of its callers. Faults that change nothing anybody could see are
listed, with the reason, in ``equivalent_mutants.toml``.

The exit code is 1 if more than a tenth of a room's faults survived, except in rooms that draw and
word (plot, report, cli). cosmic-ray has the operators. A fault whose tests outlast ``--timeout`` is
undecided. ``--store`` adds each room's result to ``mutants.json``: date, commit, seed, survivors.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENTS = Path(__file__).with_name("equivalent_mutants.toml")
LEDGER = Path(__file__).with_name("mutants.json")
SOURCE = Path("src/karat")
LENIENT = {"plot", "report", "cli"}
LIMIT = 0.1
#: faults that a programmer makes; others, such as + for <<, fail wherever they are met
OPERATORS = [
    *(f"ReplaceBinaryOperator_{pair}" for pair in
      ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul",
       "BitAnd_BitOr", "BitOr_BitAnd")),
    *(f"ReplaceComparisonOperator_{pair}" for pair in
      ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Lt_Gt", "Gt_Lt", "LtE_GtE", "GtE_LtE",
       "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")),
    "ReplaceUnaryOperator_Delete_USub", "ReplaceUnaryOperator_Delete_Not", "AddNot",
    "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "NumberReplacer",
    "ZeroIterationForLoop",
]  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed place: where, what was there and what stands there now."""

    path: Path
    line: int
    before: str
    after: str
    code: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}\n  - {self.before}\n  + {self.after}"


# -- faults ------------------------------------------------------------------------------------


def rooms() -> dict[str, list[Path]]:
    """The folders of the library and their files; files beside them are a room of their own."""
    found = defaultdict(list)
    for path in sorted((ROOT / SOURCE).rglob("*.py")):
        inside = path.relative_to(ROOT / SOURCE).parts
        found[inside[0] if len(inside) > 1 else "beside"].append(path.relative_to(ROOT))
    return dict(found)


def never_run(code: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """From where to where there are annotations, what only a type checker reads, assurances."""
    parts: list[ast.expr | ast.stmt | None] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            parts.append(node.returns)
        elif isinstance(node, ast.keyword) and node.arg == "strict":
            parts.append(node.value)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            parts.append(node)
    return [
        ((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0))
        for part in parts
        if part is not None
    ]


def places(path: Path) -> list[tuple[Path, int, str, int]]:
    """Every change that the operators can make to a file: (file, line, operator, occurrence)."""
    code = (ROOT / path).read_text(encoding="utf8")
    nodes, skipped = list(ast_nodes(get_ast(code))), never_run(code)
    found = []
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        positions = (at for node in nodes for at in operator.mutation_positions(node))
        found += [
            (path, start[0], name, occurrence)
            for occurrence, (start, _) in enumerate(positions)
            if not any(first <= start < last for first, last in skipped)
        ]
    return found


def draw(files: list[Path], count: int, chance: random.Random) -> Iterator[Mutant]:
    """So many faults, at most one in a line, each line as likely as any other."""
    by_line = defaultdict(list)
    for path in files:
        for place in places(path):
            by_line[place[:2]].append(place)
    lines = sorted(by_line)
    for where in chance.sample(lines, min(count, len(lines))):
        path, line, name, occurrence = chance.choice(by_line[where])
        code = (ROOT / path).read_text(encoding="utf8")
        changed = mutate_code(code, get_operator(f"core/{name}")(), occurrence)
        old, new = code.splitlines(), changed.splitlines()
        at = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        yield Mutant(path, line, old[at].strip(), new[at].strip(), changed)


# -- tests -------------------------------------------------------------------------------------


class Tests:
    """Which tests run a line of the library."""

    def __init__(self, data: CoverageData, copy: Path) -> None:
        self.copy = copy
        self.of_line: dict[Path, dict[int, set[str]]] = {}
        for name in data.measured_files():
            found = data.contexts_by_lineno(name)
            path = Path(name[name.index(str(SOURCE)) :])
            self.of_line[path] = {
                line: {test.rsplit("|", 1)[0] for test in tests if test}
                for line, tests in found.items()
            }

    def _callers(self, path: Path, line: int) -> set[str]:
        """Tests that run a line which names the compiled function at this one."""
        compiled = {}
        for file in (self.copy / SOURCE).rglob("*.py"):
            code = file.read_text(encoding="utf8")
            if "njit" in code or "jit(" in code:
                compiled[file.relative_to(self.copy)] = [
                    (node.name, node.lineno, node.end_lineno or 0, ast.unparse(node))
                    for node in ast.walk(ast.parse(code))
                    if isinstance(node, ast.FunctionDef)
                ]
        names = {name for name, start, end, _ in compiled.get(path, []) if start <= line <= end}
        found: set[str] = set()
        seen: set[str] = set()
        while names - seen:
            word = re.compile(rf"\b({'|'.join(names - seen)})\b")
            seen |= names
            names = {one[0] for own in compiled.values() for one in own if word.search(one[3])}
            for file, lines in self.of_line.items():
                text = (self.copy / file).read_text(encoding="utf8").splitlines()
                for number, tests in lines.items():
                    if number <= len(text) and word.search(text[number - 1]):
                        found |= tests
        return found

    def that_run(self, path: Path, line: int) -> list[str]:
        """Names of the tests, those of the room first."""
        lines = self.of_line.get(path, {})
        found = lines.get(line) or self._callers(path, line) or set().union(*lines.values())
        room = path.relative_to(SOURCE).parts[0]
        return sorted(found, key=lambda test: (f"tests/{room}/" not in test, test))


def pytest(python: str, copy: Path, *options: str, timeout: float | None = None) -> int:
    """Exit code of the tests in the copy."""
    paths = os.pathsep.join([str(copy / "src"), str(copy / "tests")])
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *options],
        cwd=copy, capture_output=True, timeout=timeout, text=True,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1",
             "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    if done.returncode not in (0, 1):
        print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
    return done.returncode


def survives(
    mutant: Mutant, tests: list[str], python: str, copy: Path, timeout: float
) -> bool | None:
    """Whether every test passes; None if they took too long to say."""
    target, names = copy / mutant.path, copy / "chosen-tests"
    kept = target.read_text(encoding="utf8")
    names.write_text("\n".join(tests))
    # a function that was compiled with another one inside does not notice that this one changed
    compiled = "njit" in kept
    with tempfile.TemporaryDirectory() as empty:
        os.environ["NUMBA_CACHE_DIR"] = empty if compiled else str(copy / "compiled")
        target.write_text(mutant.code, encoding="utf8")
        try:
            return not tests or pytest(python, copy, f"@{names}", timeout=timeout) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            target.write_text(kept, encoding="utf8")


# -- the command -------------------------------------------------------------------------------


def prepare(folder: Path, python: str, only: list[str]) -> Tests:
    """A copy of what the repository has, and its suite measured line by line."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "compiled")
    measured = ["--cov", "--cov-context=test", "--cov-report=", "--cov-fail-under=0"]
    if pytest(python, folder, "-n", "2", *measured, *only):
        raise SystemExit("the tests fail before anything is changed")
    data = CoverageData(str(folder / ".coverage"))
    data.read()
    return Tests(data, folder)


def parse() -> argparse.Namespace:
    """What the command was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=200, help="faults in all (200)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--rooms", help="these alone, separated by commas")
    parser.add_argument("--part", default="1/1", help="2/4: every fourth room from the second on")
    parser.add_argument("--tests", nargs="*", default=[], help="files of tests, if not all")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for a fault (900)")
    parser.add_argument("--store", action="store_true", help="add the results to mutants.json")
    parser.add_argument("--python", default=sys.executable, help="the one that has karat's tests")
    return parser.parse_args()


def main() -> int:
    """Print every fault and a table of the rooms."""
    asked = parse()
    all_rooms = rooms()
    chosen = asked.rooms.split(",") if asked.rooms else sorted(all_rooms)
    each, rest = divmod(asked.count, len(chosen))
    part, parts = map(int, asked.part.split("/"))
    known = tomllib.loads(EQUIVALENTS.read_text(encoding="utf8")).get("mutant", [])
    equivalent = {(one["file"], one["before"], one["after"]) for one in known}
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        tests = prepare(Path(folder), asked.python, asked.tests)
        for number, room in list(enumerate(chosen))[part - 1 :: parts]:
            chance = random.Random(f"{asked.seed} {room}")
            drawn = list(draw(all_rooms[room], each + (number < rest), chance))
            planted = [m for m in drawn if (str(m.path), m.before, m.after) not in equivalent]
            survivors, undecided = [], 0
            for mutant in planted:
                names = tests.that_run(mutant.path, mutant.line)
                begun = time.monotonic()
                alive = survives(mutant, names, asked.python, Path(folder), asked.timeout)
                survivors += [str(mutant)] * bool(alive)
                undecided += alive is None
                took = f"{len(names)} tests, {time.monotonic() - begun:.0f} s"
                verdict = {True: "SURVIVED", False: "noticed", None: "undecided"}[alive]
                print(verdict, f"({took}): {mutant}", flush=True)
            decided, equal = len(planted) - undecided, len(drawn) - len(planted)
            rows.append(f"{room:<14}{decided:>7}{len(survivors):>10}{undecided:>11}{equal:>12}")
            failed |= len(survivors) > LIMIT * decided and room not in LENIENT
            if asked.store:
                store(room, asked.seed, decided, survivors)
    print("\nroom          decided  survived  undecided  equivalent", *rows, sep="\n")
    return int(failed)


def store(room: str, seed: int, decided: int, survivors: list[str]) -> None:
    """Add a room's result to the ledger."""
    commit = ["git", "rev-parse", "--short", "HEAD"]
    entries = json.loads(LEDGER.read_text("utf-8")) if LEDGER.exists() else []
    entries.append({
        "room": room, "date": date.today().isoformat(), "seed": seed, "decided": decided,
        "survivors": survivors,
        "commit": subprocess.run(commit, cwd=ROOT, capture_output=True, text=True).stdout.strip(),
    })  # fmt: skip
    LEDGER.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

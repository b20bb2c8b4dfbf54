"""Faults: small changes of a line, which a programmer could make."""

from __future__ import annotations

import ast
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src/sortal")
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

    @property
    def entry(self) -> dict[str, str | int]:
        """What the ledger keeps."""
        return {"at": f"{self.path}:{self.line}", "before": self.before, "after": self.after}


def rooms(root: Path) -> dict[str, list[Path]]:
    """The folders of the library and their files; files beside them are a room of their own."""
    files = defaultdict(list)
    for path in sorted((root / SOURCE).rglob("*.py")):
        inside = path.relative_to(root / SOURCE).parts
        files[inside[0] if len(inside) > 1 else "beside"].append(path.relative_to(root))
    return dict(files)


def never_run(code: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """From where to where there are annotations, what only a type checker reads, assurances."""
    parts: list[ast.expr | ast.stmt | None] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            parts.append(node.returns)
        elif isinstance(node, ast.keyword) and node.arg in ("strict", "frozen"):
            parts.append(node.value)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            parts.append(node)
    return [
        ((part.lineno, part.col_offset), (part.end_lineno or 0, part.end_col_offset or 0))
        for part in parts
        if part is not None
    ]


def hidden(rows: list[str], operator: str, start: tuple[int, int]) -> bool:
    """Whether a change is none: the star of a signature, or a number of 50 and more by one."""
    text = rows[start[0] - 1][start[1] :]
    number = re.match(r"[\d_]+\b(?!\.)", text)
    large = operator == "NumberReplacer" and number and int(number[0].replace("_", "")) >= 50
    return bool(large) or text.startswith("*,")


@cache
def places(root: Path, path: Path) -> dict[int, list[tuple[str, int]]]:
    """Every change that the operators can make to a file: operators and occurrences by line."""
    code = (root / path).read_text(encoding="utf8")
    nodes, skipped, rows = list(ast_nodes(get_ast(code))), never_run(code), code.splitlines()
    by_line = defaultdict(list)
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        positions = (at for node in nodes for at in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if hidden(rows, name, start) or any(a <= start < b for a, b in skipped):
                continue
            by_line[start[0]].append((name, occurrence))
    return by_line


def draw(root: Path, lines: list[tuple[Path, int]], seed: str) -> Iterator[Mutant]:
    """One fault in each line, the lines in a random order."""
    chance = random.Random(seed)
    for path, line in chance.sample(lines, len(lines)):
        name, occurrence = chance.choice(places(root, path)[line])
        code = (root / path).read_text(encoding="utf8")
        changed = mutate_code(code, get_operator(f"core/{name}")(), occurrence)
        old, new = code.splitlines(), changed.splitlines()
        at = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        yield Mutant(path, line, old[at].strip(), new[at].strip(), changed)


def git(*arguments: str) -> str:
    """What git says about the repository."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def changed_lines(base: str) -> set[tuple[Path, int]]:
    """Lines that differ from a commit."""
    diff = git("diff", "-U0", "--no-color", base, "--", str(SOURCE))
    lines, path = set(), Path()
    for row in diff.splitlines():
        if row.startswith("+++ b/"):
            path = Path(row[6:])
        elif hunk := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", row):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            lines |= {(path, line) for line in range(start, start + count)}
    return lines


def again(root: Path, entry: dict[str, str]) -> Mutant | None:
    """A stored fault in the present code; None where its line is no more."""
    path, line = entry["at"].rsplit(":", 1)
    file = root / path
    rows = file.read_text(encoding="utf8").splitlines() if file.exists() else []
    same = [i for i, row in enumerate(rows) if row.strip() == entry["before"]]
    if not same:
        return None
    at = min(same, key=lambda i: abs(i + 1 - int(line)))
    rows[at] = rows[at].replace(entry["before"], entry["after"])
    return Mutant(Path(path), at + 1, entry["before"], entry["after"], "\n".join(rows) + "\n")

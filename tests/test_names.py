"""Names, docstrings and annotations of the library: counted, so that they stay readable."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import sortal

HOME = Path(sortal.__file__).parent
#: words that name nothing: a variable is called after its content
VAGUE = frozenset(
    ("found", "told", "given", "one", "own", "other", "there", "known", "asked", "them", "some")
)
#: largest number of vague names in 1,000
MAX_VAGUE = 10
#: largest share of annotated parameters that are annotated with a bare ``Any``
MAX_ANY = 0.05
#: worst files, or further places, that a failure lists
LISTED = 25

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def nodes() -> tuple[tuple[str, ast.AST], ...]:
    """Every name, argument and definition of the library with its file."""
    return tuple(
        (file, node)
        for path in sorted(HOME.rglob("*.py"))
        for file in [path.relative_to(HOME).as_posix()]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Name, ast.arg, Definition))
    )


def worst(places: Counter[str]) -> str:
    """The files with most of what is counted, a line each."""
    return "\n".join(f"{count:5} {place}" for place, count in places.most_common(LISTED))


def definitions() -> Iterator[tuple[str, Definition]]:
    """Every function, method and class, nested ones too, with its file."""
    for file, node in nodes():
        if isinstance(node, Definition):
            yield file, node


def test_names_say_what_they_hold() -> None:
    names = [(file, node.id) for file, node in nodes() if isinstance(node, ast.Name)]
    vague = Counter(file for file, name in names if name in VAGUE)
    share = 1000 * vague.total() / len(names)
    assert share <= MAX_VAGUE, f"{share:.1f} vague names in 1,000, most in\n{worst(vague)}"


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for file, node in definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(f"{file}:{node.lineno}")
    repeated = {name: where for name, where in places.items() if len(where) > 1}
    lines = (f"{name}: {', '.join(where)}" for name, where in sorted(repeated.items()))
    assert not repeated, "classes of one name:\n" + "\n".join(lines)


def test_everything_outside_functions_has_a_docstring() -> None:
    inside = {
        (file, nested.lineno)
        for file, node in definitions()
        if not isinstance(node, ast.ClassDef)
        for nested in ast.walk(node)
        if isinstance(nested, Definition) and nested is not node
    }
    missing = [
        f"{file}:{node.lineno} {node.name}"
        for file, node in definitions()
        if (file, node.lineno) not in inside
        and not node.name.startswith("__")
        and not ast.get_docstring(node)
    ]
    files = Counter(place.partition(":")[0] for place in missing)
    assert not missing, (
        f"{len(missing)} without docstring, most in\n{worst(files)}\nthe first are\n"
        + "\n".join(missing[:LISTED])
    )


def test_few_parameters_are_annotated_with_any() -> None:
    annotated = [
        (file, node.annotation)
        for file, node in nodes()
        if isinstance(node, ast.arg) and node.annotation is not None
    ]
    bare = Counter(
        file for file, note in annotated if isinstance(note, ast.Name) and note.id == "Any"
    )
    share = bare.total() / len(annotated)
    assert share <= MAX_ANY, f"{share:.1%} of the parameters are Any, most in\n{worst(bare)}"

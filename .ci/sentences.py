"""Report sentences that are hard to read: python .ci/sentences.py [FILE ...] [--update].

Read are README, CONTRIBUTING, the paper, the documentation, the help of the commands, the messages
of the library (errors and wording), and public docstrings. A sentence is hard if it has more than
30 words, or a pattern of those below. ``sentences.json`` has a ceiling for each file, which may
only fall, and is 0 without one.
``--update`` lowers the ceilings to what there is.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = Path(__file__).with_suffix(".json")
LONGEST = 30
#: fragments of lists and references may have semicolons
SHORTEST = {"semicolon chain": 14}
PATTERNS = {
    "semicolon chain": r";[^;]*;",
    "of ... of ... of": r"\bof\b(?:\s+[\w'-]+){1,4}\s+of\b(?:\s+[\w'-]+){1,4}\s+of\b",
    "inverted relative clause": r"\bthat (?:an? |some|any|who)\w* ?\w* would\b"
    r"|\bwhat (?:an?|the) \w+ would\b|\bby what\b|\bof which\b|\bwhoever\b|\bthan those that\b"
    r"|\bin whose\b|\bwith which other\b",
    "inverted order": r"\b(?:[Bb]eside|[Bb]elow|[Aa]bove|[Hh]ere|[Tt]here) (?:it |them |this )?"
    r"(?:stands?|comes?|lies?|follows?)\b|\bnor (?:is|are|does|do|need|can)\b",
    "dated wording": r"\ball the same\b|\bfor want of\b|\bas it were\b|\btold apart\b"
    r"|\bas (?:it|they) (?:is|are) written\b|\bis (?:told|said) (?:of|to)\b|\bso that of\b",
}  # fmt: skip


def sentences(text: str) -> list[str]:
    """The sentences of plain text, whose paragraphs and cells are separated by blank lines."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        joined = " ".join(paragraph.split())
        joined = re.sub(r"\b(e\.g|i\.e|et al|cf|vs|Fig|No|approx)\.", r"\1", joined)
        parts += re.split(r"(?<=[.!?])[\"')\]*]*\s+|(?<=:)\s+(?=[\"'(*A-Z])", joined)
    return [part for part in parts if re.search(r"[A-Za-z]{2}", part)]


def plain(text: str) -> str:
    """Prose of reStructuredText or Markdown, without code, directives and markup."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"\A---\n.*?^---\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^```.*?^```", "\n", text, flags=re.M | re.S)
    text = re.sub(r"^ *>>> (?:.*\n)(?:.+\n)*", "\n", text, flags=re.M)
    text = re.sub(
        r"^( *)\.\. (?:code-block|console-session|math|toctree|raw|include|autosummary|image"
        r"|currentmodule|measured-\S+|_\S+)[^\n]*\n(?:\1 +.*\n|\s*\n)*", "\n", text, flags=re.M
    )  # fmt: skip
    text = re.sub(r"^ *\.\. (?:figure|list-table|container|grid|long|elsewhere|needs)\b.*\n", "\n",
                  text, flags=re.M)  # fmt: skip
    text = re.sub(r"^ *:[\w-]+:(?: .*)?$", "\n", text, flags=re.M)
    text = re.sub(r"^ *(?:\* - |- |\* |#+ |\d+\. |\|)", "\n", text, flags=re.M)
    text = re.sub(r"^[=\-~^]{3,}.*$|^=+  =+$", "\n", text, flags=re.M)
    text = re.sub(r":measured:`[^`]*`", "X", text)
    text = re.sub(r"^(\S.*)\n(?= {3}\S)", r"\1\n\n", text, flags=re.M)  # definitions
    text = re.sub(r":\w+:`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\|", "\n\n", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"``([^`]*)``|`([^`]*)`", lambda m: (m[1] or m[2] or "").replace(" ", "_"), text)


def messages(path: Path) -> str:
    """Literals in errors, and in the modules of wording, of one file of the library."""
    tree = ast.parse(path.read_text("utf-8"))
    whole = "wording" in path.name or path.parent.name in ("wording", "words")
    texts = []
    for node in ast.walk(tree):
        if (isinstance(node, ast.Raise) and node.exc is not None) or (
            whole and isinstance(node, (ast.Return, ast.Yield, ast.Assign, ast.AugAssign, ast.Call))
        ):
            texts += list(_literals(node))
    return "\n\n".join(dict.fromkeys(texts))


def _literals(node: ast.AST) -> Iterator[str]:
    """Strings of an expression; a placeholder of an f-string counts as one word."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(v.value) if isinstance(v, ast.Constant) else "X" for v in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _literals(child)


def docstrings(path: Path) -> str:
    """Prose of the public docstrings of one file of the library: no types, doctests, references."""
    found = []
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if not getattr(node, "name", "").startswith("_"):
                found.append(_prose(ast.get_docstring(node) or ""))
            if not isinstance(node, ast.FunctionDef):
                waiting += node.body
    return "\n\n".join(found)


def _prose(docstring: str) -> str:
    """Sentences of a docstring in numpydoc's format."""
    text = re.split(r"^(?:References|Examples|See Also)\n-{3,}$", docstring, flags=re.M)[0]
    text = re.sub(r"^\S.*\n-{3,}$", "", text, flags=re.M)
    text = re.sub(r"^\S[^\n]*(?=\n {4}\S)", "\n", text, flags=re.M)  # name : type
    return plain(re.sub(r"\.\. (?:math|code-block)::.*", "", text))


def helps() -> Iterator[tuple[str, str]]:
    """The help of each command and of its options."""
    from typer.main import get_command

    from sortal.cli import app

    for name, command in sorted(get_command(app).commands.items()):
        texts = [command.help or "", *(getattr(p, "help", "") or "" for p in command.params)]
        yield f"sortal {name} --help", "\n\n".join(texts)


def texts() -> Iterator[tuple[str, str]]:
    """Every text that is read, by its file."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "paper" / "paper.md"]
    pages += sorted((ROOT / "docs").glob("*.rst"))
    for page in pages:
        yield page.relative_to(ROOT).as_posix(), plain(page.read_text("utf-8"))
    yield from helps()
    for path in sorted((ROOT / "src" / "sortal").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        yield name, messages(path)
        yield f"{name}: docstrings", docstrings(path)


def hard(text: str) -> list[tuple[str, str]]:
    """The hard sentences of a text, each with the reason."""
    reasons = []
    for sentence in sentences(text):
        if len(sentence.split()) > LONGEST:
            reasons.append((f"{len(sentence.split())} words", sentence))
        reasons += [
            (name, sentence)
            for name, form in PATTERNS.items()
            if re.search(form, sentence) and len(sentence.split()) >= SHORTEST.get(name, 0)
        ]
    return reasons


def main() -> int:
    """Print hard sentences; 1 where a file has more of them than its ceiling."""
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")]
    ceilings = json.loads(CEILINGS.read_text("utf-8")) if CEILINGS.exists() else None
    counts, failed, words, total, long = {}, False, 0, 0, 0
    for name, text in texts():
        if name.startswith(("docs/", "README", "CONTRIB")):
            words += len(text.split())
            every = sentences(text)
            total += len(every)
            long += sum(len(sentence.split()) > LONGEST for sentence in every)
        if chosen and name not in chosen:
            continue
        reasons = hard(text)
        ceiling = 0 if ceilings is None else ceilings.get(name, 0)
        if reasons:
            counts[name] = len(reasons)
        if chosen or len(reasons) > ceiling:
            for reason, sentence in reasons:
                print(f"{name}: {reason}: {sentence}")
        if len(reasons) > ceiling:
            failed = True
            print(f"{name}: {len(reasons)} hard sentences where {ceiling} are allowed\n")
    print(f"docs, README, CONTRIBUTING: {words:,} words; {long} of {total:,} sentences have more "
          f"than {LONGEST} words")  # fmt: skip
    if "--update" in sys.argv:
        kept = counts if ceilings is None else {
            name: min(count, ceilings.get(name, 0)) for name, count in counts.items()}  # fmt: skip
        kept = {name: count for name, count in kept.items() if count}
        CEILINGS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

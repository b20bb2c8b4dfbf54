"""Tests, laboratory, benchmarks and documentation reach sortal through its public names only.

A public name is one of ``sortal`` (``__init__.pyi``), or stands in the ``__all__`` of a room: the
page "Names by room" of the reference lists them (``docs/rooms.py``).
``python tests/test_public_surface.py [FOLDER ...]`` prints the private imports that are left.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import sortal

ROOT = Path(__file__).parents[1]
#: tests that still reach private names; the list may only shrink
PRIVATE_TESTS: tuple[str, ...] = (
    "tests/bench/test_benchmark.py",
    "tests/bench/test_fits.py",
    "tests/bench/test_page.py",
    "tests/bench/test_statistics.py",
    "tests/bounds/test_advice.py",
    "tests/bounds/test_bound.py",
    "tests/bounds/test_guarantee.py",
    "tests/bounds/test_labels.py",
    "tests/bounds/test_languages.py",
    "tests/bounds/test_ledger.py",
    "tests/bounds/test_order.py",
    "tests/bounds/test_promises.py",
    "tests/bounds/test_row_classes.py",
    "tests/bounds/test_skipped.py",
    "tests/bounds/test_small_parts.py",
    "tests/bounds/test_stopping.py",
    "tests/bounds/test_tails.py",
    "tests/clusterers/test_clara_orclus.py",
    "tests/clusterers/test_clusterers.py",
    "tests/clusterers/test_criterion.py",
    "tests/clusterers/test_document_clusterers.py",
    "tests/clusterers/test_genie.py",
    "tests/clusterers/test_lloyd.py",
    "tests/clusterers/test_mixed_mixture.py",
    "tests/clusterers/test_spectral.py",
    "tests/datasets/test_all_problems.py",
    "tests/datasets/test_column_weights.py",
    "tests/datasets/test_contradictions.py",
    "tests/datasets/test_datasets_bad_input.py",
    "tests/datasets/test_datasets_meaning.py",
    "tests/datasets/test_dirty_tables.py",
    "tests/datasets/test_drawn_rows.py",
    "tests/datasets/test_findings.py",
    "tests/datasets/test_long_tables.py",
    "tests/datasets/test_mapped.py",
    "tests/datasets/test_odd_files.py",
    "tests/datasets/test_partitions.py",
    "tests/datasets/test_preparation.py",
    "tests/datasets/test_read_labelings.py",
    "tests/datasets/test_successive.py",
    "tests/datasets/test_table_files.py",
    "tests/datasets/test_unlike_parts.py",
    "tests/distances/test_definitions.py",
    "tests/distances/test_distances.py",
    "tests/distances/test_neighbors.py",
    "tests/faults/test_disk.py",
    "tests/faults/test_workers.py",
    "tests/hostile/test_boundaries.py",
    "tests/hostile/test_labels_and_guarantee.py",
    "tests/labeling/test_doubts.py",
    "tests/labeling/test_label_loop.py",
    "tests/labeling/test_label_page.py",
    "tests/labeling/test_team.py",
    "tests/labelings/test_contingency.py",
    "tests/labelings/test_names_and_weights.py",
    "tests/labelings/test_pairs.py",
    "tests/labelings/test_partitions.py",
    "tests/labelings/test_structures.py",
    "tests/meaning/test_meaning.py",
    "tests/measures/clarity/test_informativeness_agglomeration.py",
    "tests/measures/clarity/test_sampled_informativeness.py",
    "tests/measures/clarity/test_scores_of_predictions.py",
    "tests/measures/test_external_chance.py",
    "tests/measures/test_external_measures.py",
    "tests/measures/test_internal.py",
    "tests/measures/test_internal_corrected.py",
    "tests/measures/test_internal_more.py",
    "tests/measures/test_internal_peers.py",
    "tests/measures/test_internal_weights.py",
    "tests/measures/test_many_clusters.py",
    "tests/measures/test_pair_sums.py",
    "tests/measures/test_samples.py",
    "tests/measures/test_sampling.py",
    "tests/measures/test_scorer_parts.py",
    "tests/measures/test_scores.py",
    "tests/measures/test_small_parts.py",
    "tests/measures/test_statistics.py",
    "tests/measures/test_trees.py",
    "tests/model/test_all_rows.py",
    "tests/model/test_estimator.py",
    "tests/model/test_forged.py",
    "tests/model/test_model.py",
    "tests/model/test_watch.py",
    "tests/report/test_map_and_candidates.py",
    "tests/report/test_report_page.py",
    "tests/report/test_small_parts.py",
    "tests/runtime/test_check_data.py",
    "tests/runtime/test_deprecation.py",
    "tests/runtime/test_executors.py",
    "tests/runtime/test_extras.py",
    "tests/runtime/test_kept_file.py",
    "tests/runtime/test_limits_and_fakes.py",
    "tests/runtime/test_progress.py",
    "tests/runtime/test_resources.py",
    "tests/runtime/test_synonyms.py",
    "tests/runtime/test_threads.py",
    "tests/study/test_alternatives.py",
    "tests/study/test_anndata.py",
    "tests/study/test_answer.py",
    "tests/study/test_constraints.py",
    "tests/study/test_execution_parts.py",
    "tests/study/test_executors.py",
    "tests/study/test_geometry.py",
    "tests/study/test_large.py",
    "tests/study/test_lazy_scores.py",
    "tests/study/test_ranking.py",
    "tests/study/test_record.py",
    "tests/study/test_scratch.py",
    "tests/study/test_stability.py",
    "tests/study/test_steadiness.py",
    "tests/study/test_store.py",
    "tests/study/test_story.py",
    "tests/study/test_study.py",
    "tests/test_cli.py",
    "tests/test_cli_environment.py",
    "tests/test_cli_input.py",
    "tests/test_cli_parts.py",
    "tests/test_cli_small_parts.py",
    "tests/test_compare_parquet.py",
    "tests/test_docs_pages.py",
    "tests/test_join_doors.py",
    "tests/test_laws.py",
    "tests/test_outputs.py",
    "tests/test_pages.py",
    "tests/test_peers.py",
    "tests/test_plot_figures.py",
    "tests/text/test_reading.py",
    "tests/text/test_topics.py",
    "tests/text/test_vectorizer.py",
)


@cache
def rooms_page() -> ModuleType:
    """The module that writes the page of the reference."""
    spec = spec_from_file_location("docs_rooms", ROOT / "docs" / "rooms.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def public_names() -> frozenset[str]:
    """Every public name with its module, and the modules that have some."""
    rooms: dict[str, tuple[str, ...]] = rooms_page().rooms()
    names = {f"{room}.{name}" for room, listed in rooms.items() for name in listed}
    names |= {f"sortal.{name}" for name in dir(sortal)}
    names |= {f"sortal.measures.{name}" for name in sortal.measures.__all__}
    return frozenset(names | set(rooms) | {"sortal"})


def private_imports(source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of each import of sortal that is no public name."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "sortal" and name not in public_names():
                yield node.lineno, name  # type: ignore[attr-defined]


def private_patches(source: str) -> Iterator[tuple[int, str]]:
    """Line and target of each patch of a private name by its path."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            target = node.args[0]
            if node.func.attr in ("setattr", "patch") and isinstance(target, ast.Constant):
                name = str(target.value)
                if name.startswith("sortal.") and name not in public_names():
                    yield node.lineno, name


def private_uses(path: Path) -> list[str]:
    """Private names that a file imports or patches, each with its place."""
    source = path.read_text(encoding="utf-8")
    uses = [*private_imports(source), *private_patches(source)]
    return [f"{path.relative_to(ROOT)}:{line} {name}" for line, name in sorted(uses)]


def files(folder: str) -> list[Path]:
    """The Python files of a folder."""
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", ["lab", "benchmarks", "examples"])
def test_code_beside_the_library_uses_public_names_only(folder: str) -> None:
    private = [use for path in files(folder) for use in private_uses(path)]
    assert not private, "\n".join(private)


def code_blocks(page: Path) -> Iterator[str]:
    """Python of a page: fenced blocks of Markdown, blocks and examples of reStructuredText."""
    text = page.read_text(encoding="utf-8")
    yield from re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    prompts = re.findall(r"^ *(?:>>>|\.\.\.) ?(.*)$", text, flags=re.MULTILINE)
    yield "\n".join(line for line in prompts if re.match(r"(from|import) ", line))
    for block in re.findall(r"\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text):
        yield "\n".join(line[3:] for line in block.splitlines())


PAGES = [*sorted((ROOT / "docs").glob("*.rst")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_use_public_names_only(page: Path) -> None:
    private = [name for block in code_blocks(page) for _, name in private_imports(block)]
    assert not private


def test_tests_use_public_names_only() -> None:
    using = {
        path.relative_to(ROOT).as_posix(): uses
        for path in files("tests")
        if "_kernels" not in path.parts and (uses := private_uses(path))
    }
    further = [use for path, uses in using.items() if path not in PRIVATE_TESTS for use in uses]
    assert not further, "\n".join(further)
    clean = sorted(set(PRIVATE_TESTS) - set(using))
    assert not clean, f"remove from PRIVATE_TESTS: {', '.join(clean)}"


def test_every_public_name_is_documented_and_in_the_reference() -> None:
    page = rooms_page()
    text = page.reference()
    for room, names in page.rooms().items():
        section = text.partition(f"\n{room}\n---")[2].partition("\n\nsortal.")[0]
        for name in names:
            assert re.search(rf"^ *(?:- ``)?{name}\b", section, flags=re.MULTILINE), (
                f"{room}.{name}"
            )
    bare = [
        f"{room}.{name}"
        for room, names in page.rooms().items()
        for name in names
        if not page.is_documented(room, name)
    ]
    assert not bare


def test_private_uses_are_seen() -> None:
    source = """
import sortal._kernels.pairs
from sortal import Study, _kernels
from sortal.judge import load_judge
from sortal.runtime.validation import InputError
monkeypatch.setattr("sortal.study.sweep.run", None)
"""
    found = [name for _, name in [*private_imports(source), *private_patches(source)]]
    assert found == [
        "sortal._kernels.pairs",
        "sortal._kernels",
        "sortal.runtime.validation.InputError",
        "sortal.study.sweep.run",
    ]


if __name__ == "__main__":
    for folder in sys.argv[1:] or ("tests", "lab", "benchmarks", "examples"):
        for path in files(folder):
            print(*private_uses(path), sep="\n", end="\n" * bool(private_uses(path)))

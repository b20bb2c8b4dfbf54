"""Commands on tables in parts, and runs that are stopped."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.dataset as arrow
import pytest

import sortal
from command_line import sortal_command
from sortal.datasets.partitioned import sampled_tables
from sortal.study import answer, judgement, objects, scores

RNG = np.random.default_rng(0)


TRUTH = RNG.integers(0, 3, 240)


TABLE = pd.DataFrame(9.0 * np.eye(3)[TRUTH] + RNG.normal(size=(240, 3)), columns=list("abc"))


SWEEP = ("-c", "kmeans", "-k", "2:4", "--n-init", "1", "--workers", "1", "--by", "silhouette",
         "--no-stability", "--quiet")  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The table in three files, of which a sample is studied."""
    (tmp_path / "rows").mkdir()
    for i in range(3):
        TABLE[80 * i : 80 * i + 80].to_parquet(tmp_path / "rows" / f"{i}.parquet")
    monkeypatch.setattr(sampled_tables, "MAX_WHOLE", 200)
    monkeypatch.setattr(sampled_tables, "SAMPLE_ROWS", 120)
    return tmp_path


def test_a_run_on_parts_labels_all_rows(folder: Path) -> None:
    options = ("--labels", "labels", "--save-model", "m.sortal-model", "--json")
    done = sortal_command("run", "rows", *SWEEP, *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["data"]["n_objects"] == 120
    assert sum(answer["all_rows"]["sizes"]) == answer["all_rows"]["n_rows"] == 240
    labels = arrow.dataset(folder / "labels").to_table().to_pandas()
    assert sortal.adjusted_rand_index(TRUTH, labels["cluster"]) == 1
    shown = sortal_command("run", "rows", *SWEEP[:-1], cwd=folder)
    assert "rows: a sample of 120 of 240 rows" in shown.stdout
    assert "All 240 rows" in shown.stdout
    assert "Exact over all 240 rows" in shown.stdout
    assert "estimated from the sampled rows" in shown.stdout
    TABLE.to_parquet(folder / "rows" / "3.parquet")
    arguments = ("assign", "rows", "--model", "m.sortal-model", "-o", "labels")
    refused = sortal_command(*arguments, cwd=folder)
    assert refused.returncode == 2
    assert "--append" in refused.stderr
    appended = sortal_command(*arguments, "--append", cwd=folder)
    assert appended.returncode == 0, appended.stderr
    assert len(list((folder / "labels").glob("*.parquet"))) == 4
    model = ("--against", "m.sortal-model", "--json")
    again = sortal_command("run", "rows", *SWEEP, *model, cwd=folder)
    assert len(json.loads(again.stdout)["changes"]) > 0


def test_labelings_of_all_rows_are_judged_on_the_sampled_ones(folder: Path) -> None:
    pd.DataFrame({"mine": TRUTH}).to_csv(folder / "mine.csv", index=False)
    options = ("--labelings", "mine.csv", "--only-labelings", "--no-reference", "--quiet", "--json")
    done = sortal_command(
        "run", "rows", *options, "--by", "silhouette", "--no-stability", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["best"]["silhouette"] > 0.7
    assert sorted(answer["all_rows"]["sizes"]) == sorted(np.bincount(TRUTH).tolist())
    TABLE[:10].to_csv(folder / "mine.csv", index=False)
    done = sortal_command("run", "rows", *options, cwd=folder)
    assert done.returncode == 2
    assert "has 10 rows for the 120 objects of rows (of 240 rows)" in done.stderr


def interrupted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, signal_: str) -> None:
    """Let the first call of a function end with a signal."""
    work = getattr(module, name)

    def stopped(*arguments: Any, **options: Any) -> Any:
        """Work, and stop."""
        monkeypatch.setattr(module, name, work)
        result = work(*arguments, **options)
        signal.raise_signal(getattr(signal, signal_))
        return result

    monkeypatch.setattr(module, name, stopped)


#: steps of judging (measures, chance of groups, evidence, answers on parts), and what stops them
STEPS = [
    (scores, "compute", "SIGTERM"), (objects, "structure_of", "SIGINT"),
    (sortal.judge, "gather", "SIGALRM"), (answer, "measure_steadiness", "SIGINT"),
]  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.posix
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize(("module", "step", "name"), STEPS)
def test_judging_that_is_stopped_ends_with_an_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: Any, step: str, name: str
) -> None:
    monkeypatch.setattr(judgement, "MOST_STOPPED", 2)
    sweep = ("-c", "kmeans", "-c", "ward", "-k", "2:4", "--n-init", "1", "--workers", "1")
    files = ("--labels", "labels", "--report", "r.html")
    budget = ("--budget", "1h") if name == "SIGALRM" else ()
    interrupted(monkeypatch, module, step, name)
    done = sortal_command("run", "rows", *sweep, *files, *budget, "--json", cwd=folder)
    assert done.returncode == (0 if budget else 130), done.stderr
    record = json.loads(done.stdout)
    best, counts = record["best"], record["best"]["tried"]
    assert (folder / "r.html").exists()
    assert (folder / "labels").exists() == bool(budget)
    if step == "measure_steadiness":
        assert counts["unjudged"] is None
        assert "interrupted" in best["stability_skipped"]
        return
    assert "so far" in done.stderr
    assert (folder / "rows.sortal").exists() != bool(budget)
    assert counts["unjudged"] >= 1
    assert (best["structure"] is None) == (step == "structure_of")
    assert any("judging, after 2 of" in sentence for sentence in best["sentences"])

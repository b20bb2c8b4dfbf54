"""Commands on tables in parts, and runs that are stopped."""

from __future__ import annotations

import io
import json
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.dataset as arrow
import pytest

import sortal
from command_line import sortal_command
from sortal.cli import _stopping
from sortal.cli._input import InputOptions, read_dataset
from sortal.datasets.partitioned import sampled_tables
from sortal.datasets.partitioned.label_folder import LabelFolder
from sortal.runtime.output import MANIFEST
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


def test_a_command_reads_all_rows_unless_it_asks_for_a_sample(folder: Path) -> None:
    reading = InputOptions(data=str(folder / "rows"))
    assert read_dataset(reading).X.shape == (240, 3)
    assert read_dataset(reading, whole=False).X.shape == (120, 3)


def test_notes_of_a_sample_are_not_among_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    monkeypatch.setattr("sortal.datasets.read_cells", lambda *_, **__: (TABLE[:3], ("odd",)))
    done = sortal_command("sample", tmp_path / "x.npy", "-n", 2)
    assert done.stdout.startswith("draw,row,label,check,a,b")
    assert done.stderr == "Note: odd\n"


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


def test_nothing_is_sampled_on_request(folder: Path) -> None:
    done = sortal_command("run", "rows", *SWEEP, "--exact", "--json", cwd=folder)
    assert json.loads(done.stdout)["data"]["n_objects"] == 240


def test_labels_of_parts_do_not_go_to_a_file(folder: Path) -> None:
    done = sortal_command("run", "rows", *SWEEP, "--labels", "x.csv", cwd=folder)
    assert done.returncode == 2
    assert "folder" in done.stderr
    assert not (folder / "x.csv").exists()


def test_objects_to_label_are_drawn_from_parts(folder: Path) -> None:
    TABLE.to_csv(folder / "whole.csv", index=False)
    drawn = [
        sortal_command("sample", name, "-n", "5", "--json", cwd=folder).stdout
        for name in ("rows", "whole.csv")
    ]
    assert json.loads(drawn[0])["rows"] == json.loads(drawn[1])["rows"]
    table = sortal_command("sample", "rows", "-n", "5", cwd=folder).stdout.splitlines()
    rows = json.loads(drawn[0])["rows"]
    cells = [line.split(",") for line in table[1:]]
    assert [int(line[1]) for line in cells] == rows
    np.testing.assert_allclose([float(line[4]) for line in cells], TABLE["a"].iloc[rows])


def test_objects_are_drawn_by_their_ids_in_any_order_of_rows(folder: Path) -> None:
    keyed = TABLE.assign(key=[f"k{i}" for i in range(240)])
    order = RNG.permutation(240)
    keyed.iloc[order].to_csv(folder / "other.csv", index=False)
    for i in range(3):
        keyed[80 * i : 80 * i + 80].to_parquet(folder / "rows" / f"{i}.parquet")
    options = ("-n", "40", "--id-column", "key")
    names = []
    for source in ("rows", "other.csv"):
        done = sortal_command("sample", source, *options, cwd=folder)
        assert done.returncode == 0, done.stderr
        names.append(pd.read_csv(io.StringIO(done.stdout))["key"].tolist())
    assert names[0] == names[1]
    shorter = sortal_command("sample", "rows", "-n", "9", *options[2:], "--json", cwd=folder)
    assert [f"k{row}" for row in json.loads(shorter.stdout)["rows"]] == names[0][:9]
    other = sortal_command("sample", "rows", *options, "--seed", "1", "--json", cwd=folder)
    assert {f"k{row}" for row in json.loads(other.stdout)["rows"]} != set(names[0])
    keyed.assign(key="x").to_csv(folder / "other.csv", index=False)
    assert "same id" in sortal_command("sample", "other.csv", *options, cwd=folder).stderr
    keyed.assign(key=None).to_csv(folder / "other.csv", index=False)
    assert (
        "is empty in some rows"
        in sortal_command("sample", "other.csv", *options, cwd=folder).stderr
    )


def test_tables_in_parts_are_not_joined_by_ids(folder: Path) -> None:
    done = sortal_command("compare", "rows", "rows", cwd=folder)
    assert done.returncode == 2
    assert "COPY (SELECT" in done.stderr
    assert "--columns" in sortal_command("compare", "rows", cwd=folder).stderr


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


@pytest.mark.posix
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_stopped_run_ends_with_the_best_answer_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    interrupted(monkeypatch, sortal.Study, "sweep", name)
    done = sortal_command("run", "x.csv", *SWEEP, "--json", cwd=tmp_path)
    assert done.returncode == 130
    assert "best answer so far" in done.stderr
    assert json.loads(done.stdout)["best"]["k"] == 3
    assert (tmp_path / "x.sortal").exists()


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


@pytest.mark.posix
def test_a_budget_of_time_stops_what_runs() -> None:
    with pytest.raises(_stopping.BudgetSpent), _stopping.within(0.05):
        time.sleep(60)
    with _stopping.within(0.05):
        pass
    time.sleep(0.1)


@pytest.mark.quick(1)
@pytest.mark.posix
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_stopped_second_pass_keeps_the_labels_of_finished_parts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    work = LabelFolder.write

    def stopped(target: LabelFolder, part: str, tables: Any) -> Any:
        """Stop after the second part."""
        file = work(target, part, tables)
        if part == "1":
            signal.raise_signal(getattr(signal, name))
        return file

    with monkeypatch.context() as patched:
        patched.setattr(LabelFolder, "write", stopped)
        done = sortal_command("run", "rows", *SWEEP[:-1], "--labels", "labels", cwd=folder)
    assert done.returncode == 130, done.stderr
    assert "80 of 240 rows have labels in labels" in done.stderr
    assert "Interrupted: 160 of 240 rows have no cluster yet" in done.stdout
    assert sorted(path.name for path in (folder / "labels").iterdir()) == ["0.parquet", MANIFEST]
    command = ("assign", "rows", "--model", "rows.sortal-model", "-o", "labels", "--append")
    assert command[1] in done.stderr
    resumed = sortal_command(*command, cwd=folder)
    assert resumed.returncode == 0, resumed.stderr
    labels = arrow.dataset(folder / "labels").to_table().to_pandas()
    assert sortal.adjusted_rand_index(TRUTH, labels["cluster"]) == 1
    with monkeypatch.context() as patched:
        patched.setattr(LabelFolder, "write", stopped)
        again = sortal_command(*command[:-1], "--force", cwd=folder)
    assert again.returncode == 130
    assert len(list((folder / "labels").glob("*.parquet"))) == 3


def test_tables_break_texts_between_words(monkeypatch, capsys):
    from sortal.cli._output import show_table

    texts = "Standardised mutual information", "information and entropy"
    for width in range(40, 70):
        monkeypatch.setenv("COLUMNS", str(width))
        rows = [(texts[0], "0.123456", "0.123457", texts[1])]
        show_table(("measure", "one", "other", "family"), rows, numbers=[1, 2])
        shown = capsys.readouterr().out
        assert set(" ".join(texts).split()) <= set(shown.replace(",", " ").split()), width

"""Commands on tables in parts, and runs that are stopped."""

from __future__ import annotations

import io
import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.dataset as arrow
import pytest
import typer

import sortal
from command_line import sortal_command
from sortal.datasets import LabelFolder, reading_sizes
from sortal.runtime.output import MANIFEST

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
    monkeypatch.setattr(reading_sizes, "max_whole", 200)
    monkeypatch.setattr(reading_sizes, "sample_rows", 120)
    return tmp_path


def test_notes_of_a_sample_are_not_among_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    monkeypatch.setattr("sortal.datasets.read_cells", lambda *_, **__: (TABLE[:3], ("odd",)))
    done = sortal_command("sample", tmp_path / "x.npy", "-n", 2)
    assert done.stdout.startswith("draw,row,label,check,a,b")
    assert done.stderr == "Note: odd\n"


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


@pytest.mark.quick(1)
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


@pytest.mark.posix
@pytest.mark.usefixtures("ctrl_c")
def test_measures_of_tables_that_are_stopped_leave_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TABLE.to_csv(tmp_path / "x.csv", index=False)
    interrupted(monkeypatch, sortal.Study, "evaluate", "SIGINT")
    done = sortal_command("run", "x.csv", *SWEEP[:-1], "--all", "--report", "r.html", cwd=tmp_path)
    assert done.returncode == 130
    assert "tables have the measures so far" in done.stderr
    assert "3 separate groups" in done.stdout
    assert (tmp_path / "r.html").exists()


@pytest.mark.quick(2)
@pytest.mark.posix
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("labels", ["labels", "l.csv"])
def test_a_stop_while_the_answer_is_printed_says_that_the_labels_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, labels: str
) -> None:
    print_text = typer.echo

    def stopped(text: str, **options: Any) -> None:
        """Print, and be stopped after the answer."""
        print_text(text, **options)
        if not options.get("err"):
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(typer, "echo", stopped)
    source = "rows" if labels == "labels" else "rows/0.parquet"
    done = sortal_command("run", source, *SWEEP, "--labels", labels, cwd=folder)
    assert done.returncode == 130
    assert f"all labels are in {labels}" in done.stderr
    assert (folder / labels).exists()


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

"""The command line: answers, exit codes, errors without tracebacks, nothing half-written."""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sortal
from command_line import sortal_command as run
from sortal.__main__ import main
from sortal.cli import app
from sortal.datasets import ASSIGNED

FAST = ["-c", "kmeans", "-c", "average", "-k", "2:4", "--n-init", "2", "--workers", "1"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    result = run(
        "run", "wine", "--label-column", "cultivar", "--scale", "standard", *FAST,
        "--storage", "w.sortal", "--report", "w.html", "--labels", "l.csv", "--quiet", cwd=folder,
    )  # fmt: skip
    return folder, result


def test_answer_report_labels_and_study(finished):
    folder, result = finished
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert result.stdout.startswith("wine: 3 separate groups; gaps between groups are almost")
    assert result.stdout.count("\n") == 1
    assert (folder / "w.html").stat().st_size < 1_500_000
    labels = pd.read_csv(folder / "l.csv")
    assert tuple(labels.columns[:7]) == ASSIGNED
    assert "alcohol" in labels
    assert labels["cluster"].nunique() == 3


def test_report_again_from_the_study(finished):
    folder, _ = finished
    result = run("report", "w.sortal", "-o", "again.html", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert "kmeans k=3" in (folder / "again.html").read_text()
    again = run("report", "w.sortal", "-o", "again.html", cwd=folder)
    assert again.returncode == 2
    assert "--force" in again.stderr or "overwrite" in again.stderr


def test_json_for_machines(finished):
    folder, _ = finished
    result = run(
        "run", "wine", "--label-column", "cultivar", "--scale", "standard", *FAST,
        "--storage", "w.sortal", "--json", cwd=folder,
    )  # fmt: skip
    answer = json.loads(result.stdout)
    assert answer["best"]["n_clusters"] == 3
    assert answer["data"]["n_objects"] == 178
    assert len(answer["scores"]) == 2 * 3 + 3
    assert answer["ranking"][0]["rank"] == 1


def test_without_labels_the_judge_states_recovery(tmp_path):
    result = run("run", "wine", "--scale", "standard", *FAST)
    assert result.returncode == 0
    text = " ".join(result.stdout.split())
    assert re.search(
        r"If groups made these data, these match them about 0\.\d \(0\.\d to 1\)", text
    )
    assert "expert" not in text


def test_four_segments_of_customers_are_found(tmp_path):
    rng = np.random.default_rng(0)
    segment = rng.permutation(np.repeat(np.arange(4), [60, 45, 55, 40]))
    centers = np.array([
        [25, 30_000, 2, 0.05, 300], [45, 90_000, 12, 0.4, 60],
        [65, 40_000, 6, 0.1, 20], [35, 60_000, 25, 0.75, 150],
    ])  # fmt: skip
    X = centers[segment] + rng.normal(size=(200, 5)) * [4, 6_000, 1.5, 0.05, 25]
    table = pd.DataFrame(X, columns=["age", "income", "orders", "discounts", "days since"])
    table.insert(0, "name", [f"customer {i}" for i in range(200)])
    table.to_csv(tmp_path / "customers.csv", index=False)
    result = run(
        "run", "customers.csv", "--id-column", "name", "--scale", "standard", "-c", "kmeans",
        "-c", "ward", "-c", "genie", "-k", "2:7", "--n-init", "1", "--workers", "1",
        "--labels", "l.csv", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["best"]["n_clusters"] == 4
    assert answer["best"]["structure"]["decision"] == "yes"
    assert {"recovery", "low", "high"} <= set(answer["ranking"][0])
    assert "score" not in answer["ranking"][0]
    labels = pd.read_csv(tmp_path / "l.csv")
    assert list(labels["id"]) == list(table["name"])
    assert sortal.adjusted_rand_index(segment, labels["cluster"], noise="singletons") > 0.95


def test_own_labelings_alone(tmp_path):
    X = sortal.datasets.load("iris").X
    pd.DataFrame(
        {"mine": np.repeat([0, 1, 2], 50), "other": np.arange(150) % 3}
    ).to_csv(tmp_path / "mine.csv", index=False)  # fmt: skip
    pd.DataFrame(X).to_csv(tmp_path / "x.csv", index=False)
    result = run("run", "x.csv", "--labelings", "mine.csv", "--only-labelings", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert "The best of your two clusterings is mine, with 3 groups" in text
    assert re.search(r"sortal's own \d groups, much the same ones", text)


ERRORS = [
    (["run", "nowhere.csv"], 2, "nowhere.csv"),
    (["run", "wine", "--label-column", "cultvar"], 2, "did you mean 'cultivar'"),
    (["run", "wine", "-c", "kmean"], 2, "did you mean 'kmeans'"),
    (["run", "wine", "-k", "5:2"], 2, "-k 5:2"),
    (["run", "wine", "-k", "two"], 2, "-k takes"),
    (["run", "wine", "-k", "0"], 2, "at least 1"),
    (["run", "wine", "-k", "1", "-c", "ward"], 1, "at least 2"),
    (["run", "wine", "--by", "silhouete", "-c", "ward"], 2, "did you mean 'silhouette'"),
    (["run", "wine", "--report", "/nowhere/x.html"], 2, "no folder"),
    (["run", "wine", "--storage", "/nowhere/x.sortal"], 3, "no folder"),
    (["run", "wine", "--noise", "ignore", "-c", "ward"], 2, "noise must be one of"),
    (["run", "wine", "--only-labelings"], 2, "needs --labelings"),
    (["run", "wine", "--delta", "2"], 2, "delta"),
    (["report", "nothing.sortal"], 3, "no study file"),
    (["measures", "silhouete"], 2, "did you mean 'silhouette'"),
]


def check_error(result, folder, code, message):
    assert result.returncode == code, result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("sortal: ")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("arguments", "code", "message"), ERRORS)
def test_errors_are_one_line_with_a_code(tmp_path, arguments, code, message):
    check_error(run(*arguments, cwd=tmp_path), tmp_path, code, message)


def test_a_shell_sees_the_code_and_no_traceback(tmp_path):
    arguments, code, message = ERRORS[13]
    done = subprocess.run(
        [sys.executable, "-m", "sortal", *arguments], capture_output=True, text=True, cwd=tmp_path
    )
    check_error(done, tmp_path, code, message)


def test_an_existing_report_is_rejected_before_any_work(tmp_path):
    (tmp_path / "r.html").write_text("mine")
    result = run("run", "wine", "--report", "r.html", cwd=tmp_path)
    assert result.returncode == 2
    assert "--force" in result.stderr
    assert (tmp_path / "r.html").read_text() == "mine"


def test_measures_lists_every_one():
    listed = json.loads(run("measures", "--json").stdout)
    assert [m["key"] for m in listed] == list(sortal.measures.catalogue)
    assert "greater" in run("measures").stdout
    text = run("measures", "silhouette").stdout
    assert "silhouette_samples" in text
    assert "`" not in text


def test_measures_for_a_kind_of_data():
    advice = sortal.recommend(kind="texts")
    text = run("measures", "--for", "texts").stdout
    assert all(key in text for key in advice.index)
    rows = json.loads(run("measures", "--for", "texts", "--json").stdout)
    assert [row["key"] for row in rows] == list(advice.index)


def test_help_teaches():
    text = run("--help").stdout
    for command in ("run", "compare", "report", "bound", "sample", "measures"):
        assert command in text
    assert "Exit codes" in text


@pytest.mark.parametrize(("error", "said"), [
    (OSError(28, "disk full", "x.csv"), "x.csv cannot be used: disk full"),
    (OSError(28, "disk full"), "the standard output cannot be used: disk full"),
    (OSError("odd"), "odd"),
])  # fmt: skip
def test_errors_of_the_system_are_told(monkeypatch, error, said):
    def fail():
        raise error

    monkeypatch.setattr("sortal.cli.app", fail)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    done = run("measures")
    assert (done.returncode, done.stderr) == (2, f"sortal: {said}\n")


def test_ctrl_c_before_anything_ran_is_told(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", ["sortal", "run", "wine"])
    # "sortal.cli.run" is the function, too
    monkeypatch.setattr(importlib.import_module("sortal.cli.run"), "read_dataset", interrupt)
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 130
    assert capsys.readouterr().err == "sortal: interrupted\n"


def test_ctrl_c_while_loading_is_told(monkeypatch, capsys):
    class Interrupt:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "sortal.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "sortal.cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupt, *sys.meta_path])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 130
    assert capsys.readouterr().err == "sortal: interrupted\n"


def hear_interrupts():
    """A shell's background job ignores Ctrl-C, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


#: the command, with progress as soon as there is any
IMPATIENT = """
import threading
from sortal.cli import main

wait = threading.Event.wait
threading.Event.wait = lambda self, seconds=None: wait(self, 0.1 if seconds == 30 else seconds)
main()
"""


@pytest.mark.posix
@pytest.mark.parametrize("storage", [pytest.param(True, marks=pytest.mark.long), False])
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path, storage):
    extra = ["--storage", "kept.sortal"] if storage else []
    command = [sys.executable, "-c", IMPATIENT, "run", "wine", "-k", "2:100", "--n-init", "10",
               "-c", "kmeans", "--workers", "1", *extra]  # fmt: skip
    child = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    assert child.stderr is not None
    try:
        line_with_count = next(
            (line for line in child.stderr if re.search("clustering, [1-9]", line)), ""
        )
        assert line_with_count, "nothing was finished"
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate(timeout=300)
    finally:
        child.kill()
    assert child.returncode == 130, errors
    # Python tells of an interruption that came where exceptions are ignored; it is obeyed later
    assert "Traceback" not in errors or "Exception ignored" in errors
    assert "to resume" in errors
    kept = tmp_path / ("kept.sortal" if storage else "wine.sortal")
    with sortal.Study(sortal.datasets.read("wine"), storage=kept) as study:
        assert len(study.candidates) > 0


def shown(*arguments, columns=80):
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    return result.output


def test_measures_names_are_whole_at_80_columns():
    listed = shown("measures")
    assert max(map(len, listed.splitlines())) <= 80
    for key in sortal.measures.catalogue:
        assert f"\n{key} " in listed


def test_version_and_completion():
    assert shown("--version") == f"sortal {sortal.__version__}\n"
    assert "--install-completion" in shown("--help")


@pytest.mark.parametrize(
    "command", ["", "run", "report", "compare", "bound", "sample", "measures", "reproduce"]
)
def test_help_has_no_control_characters(command):
    for columns in (80, 200):
        text = shown(*command.split(), "--help", columns=columns)
        assert "Usage" in text
        assert "\\b" not in text
        assert "\b" not in text


def test_the_help_of_a_command_fills_the_width_and_has_an_example():
    for command in app.registered_commands:
        name = command.name or command.callback.__name__
        paragraphs = command.help.split("\n\n")
        assert not any("\n" in paragraph for paragraph in paragraphs), name
        if name not in ("reproduce", "lab"):  # the laboratory's own help follows
            assert any(paragraph.startswith(f"sortal {name} ") for paragraph in paragraphs), name

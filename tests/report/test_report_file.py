"""The file: whole or not at all."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sortal
from sortal import InputError
from sortal.report import write_report
from sortal.runtime.output import check_output, write_output
from sortal.study import StorageError


@pytest.fixture(scope="module")
def study() -> sortal.Study:
    study = sortal.Study([[0.0], [0.1], [5.0], [5.1]])
    study.add({"two": [0, 0, 1, 1]})
    return study


def test_written_whole(study: sortal.Study, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_report(study, target)
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert os.listdir(tmp_path) == ["report.html"]
    umask = os.umask(0)
    os.umask(umask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~umask


def test_not_over_another_file_unless_told(study: sortal.Study, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("mine")
    with pytest.raises(InputError, match=r"exists already.*overwrite=True"):
        write_report(study, target)
    with pytest.raises(InputError, match="no record that it wrote"):
        write_report(study, target, overwrite=True)
    assert target.read_text() == "mine"
    target.unlink()
    write_report(study, target)
    write_report(study, target, overwrite=True)
    assert "<html" in target.read_text(encoding="utf-8")
    with target.open("a") as file:
        file.write("mine")
    with pytest.raises(InputError, match="no record that it wrote"):
        write_report(study, target, overwrite=True)


@pytest.mark.posix
def test_through_a_link_to_its_file(study: sortal.Study, tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
    write_report(study, tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").stat().st_size > 5e4


def test_places_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder; name a file in it"):
        check_output(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        check_output(tmp_path / "no" / "report.html")


def test_folder_that_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(StorageError, match="not yours to write in"):
        check_output(tmp_path / "report.html")


@pytest.mark.posix
@pytest.mark.parametrize("there", [True, False])
def test_no_room_leaves_all_as_it_was(study: sortal.Study, tmp_path: Path, there: bool) -> None:
    import resource

    target = tmp_path / "report.html"
    if there:
        write_output(target, "mine")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    quiet = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        # a write beyond 20 kB fails as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
        with pytest.raises(StorageError, match="could not be written"):
            write_report(study, target, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, quiet)
    assert os.listdir(tmp_path) == (["report.html"] if there else [])
    if there:
        assert target.read_text() == "mine"


def test_full_disk_says_what_to_do(
    study: sortal.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=r"No space left.*free some space"):
        write_report(study, tmp_path / "report.html")
    assert os.listdir(tmp_path) == []


def test_interrupt_leaves_nothing(
    study: sortal.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_report(study, tmp_path / "report.html")
    assert os.listdir(tmp_path) == []


def test_packages_are_imported_late_and_plotly_never() -> None:
    code = (
        "import sys, sortal, sortal.report; "
        "print([m for m in ('plotly', 'jinja2', 'pandas', 'sklearn') if m in sys.modules]); "
        "study = sortal.Study([[0.0], [0.1], [5.0], [5.1]]).add({'two': [0, 0, 1, 1]}); "
        "sortal.report.render(study); print('plotly' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["[]", "False"]

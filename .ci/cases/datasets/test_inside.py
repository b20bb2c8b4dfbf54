"""Parts of the readers that no public name shows: options as words, strips, estimates, downloads."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from sortal import InputError
from sortal.cli._output import to_csv
from sortal.datasets.formats import data_files, delimited
from sortal.datasets.labels.drawn_rows import MarkedRows, key_columns, table_of_draw
from sortal.datasets.partitioned.sampled_tables import _hashes
from sortal.datasets.prepared.data_checks import successive
from sortal.datasets.values.feature_scaling import _apply
from sortal.datasets.values.limits import LIMITS
from sortal.datasets.values.number_readings import CONVERSIONS
from sortal.datasets.values.reading_options import as_flags


def test_options_as_words_of_the_command_line() -> None:
    options = {
        "drop": ("a, b", "c"),
        "scale": "auto",
        "messages": False,
        "header": True,
        "vectorizer": {"weight": "tf", "stemmer": None, "stop_words": None},
    }
    assert as_flags(options) == [
        "--drop", '"a, b"', "--drop", "c", "--no-messages", "--header", "--weight", "tf",
        "--stemmer", "none",
    ]  # fmt: skip


def test_each_conversion_has_its_inverse():
    words = list(CONVERSIONS)
    for there, back in zip(words[::2], words[1::2], strict=True):
        (factor, offset), (inverse, moved) = CONVERSIONS[there], CONVERSIONS[back]
        assert (factor * inverse, factor * moved + offset) == pytest.approx((1, 0))
    factor, offset = CONVERSIONS["°F instead of °C"]
    assert (100 * factor + offset, offset) == (212, 32)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.bz2", "x.csv.xz"])
def test_the_estimate_of_rows_is_near(name: str, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(3_000, 4))
    rows = pd.DataFrame(X).to_csv(index=False, header=False).encode()
    text = b"a,b,c,d\n" + rows * 12
    pack = {
        ".csv": bytes,
        ".gz": partial(gzip.compress, compresslevel=1),
        ".bz2": partial(bz2.compress, compresslevel=1),
        ".xz": partial(lzma.compress, preset=0),
    }[Path(name).suffix]
    (tmp_path / name).write_bytes(pack(text))
    layout = delimited.detect_layout(tmp_path / name, ".csv", header=None, encoding="utf-8")
    assert abs(layout.estimated_rows / 36_000 - 1) < 0.15


def test_all_strips_of_rows_are_scaled() -> None:
    d = 2**19  # two rows are a strip
    X = np.ones((11, d), dtype=np.float32)
    _apply(X, np.full(d, 3.0), np.full(d, 4.0))
    assert (X == -0.5).all()


def test_marked_rows_count_what_was_skipped() -> None:
    data = pd.DataFrame({"amount": np.arange(9.0)})
    table = table_of_draw(data, np.arange(9)).drop(columns="row")
    table["label"] = ["Unreadable", None, *"abababa"]
    marked = MarkedRows.of(table, "label", Path("d.csv"))
    assert marked is not None
    assert marked.draw(None).skipped(range(2, 9)) == (1,) * 7
    assert MarkedRows.of(data.assign(draw="x", label="a"), "label", Path("d.csv")) is None


def test_key_columns_are_whole_and_unique() -> None:
    columns = {"id": ["1", "2"], "x": ["1.5", "2"], "same": ["a", "a "], "gap": ["", "b"]}
    cells = pd.DataFrame(columns)
    assert key_columns(cells, cells) == ["id"]


def testdata_files_end_at_a_size_and_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "_MAX_DOWNLOAD_BYTES", 1000)
    with pytest.raises(InputError, match="larger"):
        data_files._copy(io.BytesIO(b"x" * 1001), tmp_path / "x", "http://x")
    data_files._copy(io.BytesIO(b"x" * 1000), tmp_path / "y", "http://x")
    assert (tmp_path / "y").stat().st_size == 1000
    monkeypatch.setattr(data_files, "_MAX_SECONDS", -1.0)
    with pytest.raises(InputError, match="minutes"):
        data_files._copy(io.BytesIO(b"x"), tmp_path / "z", "http://x")


def test_samples_by_key_are_uniform() -> None:
    hashes = _hashes(pa.chunked_array([np.arange(100_000)]))
    share = np.histogram(hashes, bins=20)[0] / 5000
    assert np.abs(share - 1).max() < 0.06


def test_half_of_independent_rows_are_nearer_to_the_next() -> None:
    limits = replace(LIMITS, min_alike=0.0)
    X = np.random.default_rng(0).normal(size=(4000, 2))
    shares = [
        successive(data, limits)[0].facts["share"]
        for data in (X, np.zeros((4000, 2)), sparse.csr_array(X))
    ]
    assert shares[0] == shares[2]
    assert shares[0] == pytest.approx(0.5, abs=0.04)
    assert shares[1] == 0.5


def test_wide_tables_are_written_in_time_that_grows_with_their_width():
    table = pd.DataFrame([["=x", 1.5, "y"]], columns=["=a", "b", "c"])
    assert to_csv(table) == "'=a,b,c\n'=x,1.5,y\n"

"""300 damaged or odd files through four commands: an answer or a reasoned error, nothing else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import io as scipy_io
from scipy import sparse
from typer.testing import CliRunner

from karat.cli import app
from karat.runtime.validation import InputError

FILES = 300


def originals(rng: np.random.Generator) -> list[tuple[str, bytes]]:
    """Good files of every format, by name."""
    n = int(rng.integers(2, 40))
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(3),
            "b": rng.integers(0, 5, n),
            "c": rng.choice(["x", "y, z", 'q"q', "NA", ""], n),
            "label": rng.choice(["u", "v", ""], n),
        }
    )
    numbers = frame[["a", "b"]]
    X = numbers.to_numpy()
    plain, ints = numbers.to_csv(index=False), frame[["b"]].to_csv(index=False)
    arrays = [io.BytesIO() for _ in range(5)]
    np.save(arrays[0], X)
    np.save(arrays[1], frame["b"].to_numpy())
    np.savez(arrays[2], X=X, labels=frame["b"].to_numpy())
    frame.to_parquet(arrays[3])
    scipy_io.mmwrite(arrays[4], sparse.coo_array(X))
    arrays.append(io.BytesIO())
    sparse.save_npz(arrays[5], sparse.csr_array(X))
    npy, column, npz, parquet, mtx, csr = (array.getvalue() for array in arrays)
    text = frame.to_csv(index=False)
    return [
        ("x.csv", text.encode()),
        ("x.csv", plain.encode()),
        ("x.csv", frame.to_csv().encode()),
        ("x.tsv", frame.to_csv(index=False, sep="\t").encode("utf-16")),
        ("x.csv", plain.replace("\n", "\r").encode()),
        ("x.csv", plain.replace(",", ";").replace(".", ",").encode()),
        ("x.txt", ints.encode()),
        ("x.txt", plain.replace(",", "  ").encode("latin-1")),
        ("x.csv", (text + "1,2," + "long" * 40_000 + ",u\n").encode()),
        ("x.csv", ("a,a\n" + plain).encode()),
        ("x.csv", b"row,label\n" + b"".join(b"%d,u\n" % i for i in range(n))),
        ("x.csv.gz", gzip.compress(plain.encode())),
        ("x.csv.bz2", bz2.compress(plain.encode())),
        ("x.csv.xz", lzma.compress(plain.encode())),
        ("x.npy", npy),
        ("x.npy", column),
        ("x.npz", npz),
        ("x.npz", csr),
        ("x.parquet", parquet),
        ("x.mtx", mtx),
        ("x.jsonl", b'{"text": "a b"}\n{"text": "b c"}\n'),
        ("x.svm", b"1 1:2 3:4\n-1 2:1\n"),
    ]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The content with a few bytes cut, repeated, changed or put in."""
    data = bytearray(content)
    for _ in range(int(rng.integers(0, 4))):
        if not data:
            break
        at = int(rng.integers(len(data)))
        kind = int(rng.integers(7))
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            del data[at : at + int(rng.integers(1, 20))]
        elif kind == 3:
            data[at:at] = data[at : at + int(rng.integers(1, 50))]
        elif kind == 4:
            odd = [b"\x00", b'"', b"\r", b"\n\n", b",", b"-1", b"1e999", b"nan", b"\xff\xfe", b"'"]
            data[at:at] = odd[int(rng.integers(len(odd)))]
        elif kind == 5:
            data[at : at + 4] = rng.bytes(4)
        else:
            data[:0] = data[:at][-8:]
    return bytes(data)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_four_commands_answer_or_say_why(part: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(part)
    wrong = []
    for i in range(FILES // 10):
        kinds = originals(rng)
        name, content = kinds[int(rng.integers(len(kinds)))]
        folder = tmp_path / str(i)
        folder.mkdir()
        path = folder / name
        path.write_bytes(damaged(content, rng))
        for command in (
            ["run", path, "-c", "kmeans", "-k", "2", "--n-init", "1", "--workers", "1"],
            ["sample", path, "-n", "2"],
            ["bound", path, path],
            ["compare", path, path],
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                result = CliRunner().invoke(app, [str(a) for a in command])
            error = result.exception
            if error is not None and not isinstance(error, (InputError, SystemExit)):
                wrong.append(f"{command[0]} {path}: {error!r:.300}")
            elif isinstance(error, InputError) and len(str(error)) < 15:
                wrong.append(f"{command[0]} {path}: says only {error}")
    assert not wrong, "\n".join(wrong)

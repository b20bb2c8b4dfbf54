"""What each command prints for small files, whole. Runs have."""

from __future__ import annotations

import io
import json
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from command_line import sortal_command
from values import table_test

FILES = {
    "own.csv": "three,two\n" + "\n".join(f"{i % 3},{i % 3 > 0:d}" for i in range(12)),
    "named.csv": "id,group\n" + "\n".join(f"r{i},{'abc'[i % 3]}" for i in range(12)),
    "other.csv": "id,cut\n" + "\n".join(f"r{11 - i},{i // 6}" for i in range(12)),
    "short.csv": "0\n1\n1\n", "a.labels": "0\n0\n1\n1\n-1\n2", "b.labels": "0\n0\n1\n2\n2\n2",
    "few.csv": "row,label\n" + "\n".join(f"{i},kind {i % 3}" for i in range(0, 12, 2)),
    "empty.csv": "", "texts.jsonl": "\n".join(json.dumps({"text": t}) for t in ("ship sea", "sea sail", "bread oven", "oven flour")),
    "pairs.csv": "0,3,must\n0,1,cannot\n",
    "far.csv": "a,b\n" + "\n".join(f"{i % 3 - (i % 5 == 4)},{i % 4 - (i == 3)}" for i in range(12)),
    "some.csv": "id,of\n" + "\n".join(f"r{i},{'xy'[i % 2]}" for i in range(3, 14)),
    "many.csv": ",".join("stuvwxyz") + "\n" + "\n".join(",".join(str(i // (j + 1) % 3) for j in range(8)) for i in range(12)),
    "tall.csv": "a,b\n" + "\n".join(f"{i % 21},{i % 22}" for i in range(44)),
    "drawn.csv": "draw,row,label\n" + "\n".join(f"{i + 1},{5 * i % 12},{'pq'[5 * i % 3 > 0]}" for i in range(6)),
    "b/s/truth.csv": "0\n0\n1\n1", "b/s/m.csv": "0\n0\n1\n1", "b/s/n.1.csv": "0\n1\n1\n1", "b/s/n.2.csv": "0\n1\n0\n1",
    "b/t/truth.csv": "0\n1\n1\n1", "b/t/m.csv": "0\n1\n1\n1", "b/t/n.1.csv": "0\n1\n0\n1", "b/t/n.2.csv": "0\n1\n1\n0",
    "b/u/truth.csv": "0\n1\n2", "b/u/m.csv": "0\n1\n1", "b/u/n.1.csv": "0\n0\n0", "b/u/n.2.csv": "0\n1\n2",
}  # fmt: skip


def said(line: str, typed: str = "", columns: int = 100) -> list[Any]:
    """Exit code and output of a command in a folder of small files, and the files it writes."""
    with (
        tempfile.TemporaryDirectory() as place,
        mock.patch.dict("os.environ", {
            "COLUMNS": str(columns), "XDG_STATE_HOME": place + "/state", "LOGNAME": "ann",
        }),
        mock.patch("sys.stdin", io.StringIO(typed.replace(" ", "\n"))),
    ):  # fmt: skip
        folder = Path(place, "here")
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text + "\n", "utf-8")
        X = (
            np.random.default_rng(0).normal(size=(12, 3)).round(2)
            + 7.0 * np.eye(3)[np.arange(12) % 3]
        )
        pd.DataFrame(X, columns=["age", "size", "len"]).assign(
            id=[f"r{i}" for i in range(12)]
        ).to_csv(folder / "x.csv", index=False)
        told: list[Any] = []
        for words in line.split(" && "):
            done = sortal_command(*shlex.split(words), cwd=folder)
            told += [done.returncode, still(done.stdout, place), still(done.stderr, place)]
        given = {*FILES, "x.csv", "b"}
        new = sorted(path for path in folder.iterdir() if path.name not in given)
        told.append({path.name: still(written(path), place) for path in new})
        return told


def written(path: Path) -> str | None:
    """The table or text in a file."""
    if path.suffix in (".parquet", ".pq"):
        return pd.read_parquet(path).to_csv()
    if path.suffix in (".csv", ".tsv", ".txt", ".tex"):
        return path.read_text("utf-8")
    return None


def still(text: str | None, place: str) -> str | None:
    """A text without clock, folder, version, machine, and digits that processors differ in."""
    if text is None:
        return None
    text = re.sub(r"\x1b\[[\d;]*m", "", text.replace(place, "PLACE"))
    if "Usage:" in text:  # by the name of the program, in a box as wide as the terminal
        text = re.sub(r"[\s╭╮╰╯│─]+", " ", text.partition("Error")[2])
    text = re.sub(r"machine: [^;]*", "machine: MACHINE", text)
    text = re.sub(r"\d+\.\d{7,}", lambda number: f"{float(number[0]):.6f}", text)
    text = re.sub(r'"(seconds|digest|partition|version)": [^,}]*', r'"\1": 0', text)
    return re.sub(r"\b(in )?\d+ s\b|\d+\.\d+\.\d+[\w.]*|#[0-9a-f]{8}", "TIME", text)


# fmt: off
CASES = {
    "nothing": [
        lambda: said("nothing"),
    ],
    "check": [
        lambda: said("check x.csv"),
        lambda: said("check x.csv --json"),
        lambda: said("check nowhere.csv"),
        lambda: said("check empty.csv"),
        lambda: said("check own.csv --drop three"),
        lambda: said("check x.csv --strict"),
        lambda: said("check texts.jsonl --text-column text"),
        lambda: said("check x.csv --id-column id"),
        lambda: said("check x.csv --drop age --json"),
        lambda: said("check own.csv"),
        lambda: (said("check many.csv --label-column s --weights equal"), said("check drawn.csv"),
            said("check tall.csv --accept odd"), said("check tall.csv --accept duplicates")),
    ],
    "measures": [
        lambda: said("measures silhouette"),
        lambda: said("measures silhoutte"),
        lambda: said("measures --for external"),
        lambda: said("measures --for x"),
        lambda: said("measures dunn_index --json"),
        lambda: said("measures --for internal --json"),
    ],
    "sample": [
        lambda: said("sample x.csv -n 3"),
        lambda: said("sample x.csv -n 3 --json"),
        lambda: said("sample x.csv -n 99 --seed 4 -o s.csv"),
        lambda: said("sample x.csv -n 0"),
        lambda: said("sample x.csv -n 3 -o x.csv"),
        lambda: said("sample nowhere"),
        lambda: said("sample x.csv -n 4 -o s.csv && sample x.csv -n 4 -o s.csv && sample x.csv -n 4 -o s.csv --force"),
        lambda: said("sample own.csv -n 5 --seed 1 --json"),
        lambda: (said("sample x.csv -n 3 --id-column id"),
            said("sample x.csv -n 3 --id-column odd"),
            said("sample texts.jsonl -n 2 --text-column text --json"),
            said("sample drawn.csv -n 2"), said("sample drawn.csv -n 2 -o d.csv")),
    ],
    "compare": [
        lambda: said("compare own.csv"),
        lambda: said("compare own.csv --json"),
        lambda: said("compare a.labels b.labels"),
        lambda: said("compare a.labels b.labels --noise drop"),
        lambda: said("compare a.labels b.labels --noise cluster --json"),
        lambda: said("compare a.labels short.csv"),
        lambda: said("compare own.csv named.csv"),
        lambda: said("compare own.csv --columns three"),
        lambda: said("compare own.csv --columns three,two"),
        lambda: said("compare own.csv --columns three,odd"),
        lambda: said("compare own.csv --truth odd"),
        lambda: said("compare short.csv"),
        lambda: said("compare a.labels b.labels -m purity -m rand_index"),
        lambda: said("compare a.labels b.labels -m odd"),
        lambda: said("compare own.csv named.csv other.csv"),
        lambda: said("compare own.csv a.labels"),
        lambda: said("compare named.csv"),
        lambda: said("compare a.labels b.labels --noise singletons"),
        lambda: (said("compare far.csv"),
            said("compare far.csv --noise cluster --measure purity --measure rand_index --json"),
            said("compare far.csv --noise drop --truth b --measure purity --interval")),
        lambda: said("compare far.csv --noise singletons --columns b,a --measure rand_index --interval --json"),
        lambda: (said("compare named.csv some.csv --measure purity"),
            said("compare named.csv some.csv --columns of,group --json --measure rand_index")),
        lambda: (said("compare many.csv --measure rand_index"),
            said("compare many.csv --truth v --measure rand_index --measure purity")),
        lambda: (said("compare many.csv --columns s,t --truth own.csv"),
            said("compare many.csv --truth short.csv"), said("compare own.csv tall.csv")),
    ],
    "bound": [
        lambda: said("bound own.csv few.csv"),
        lambda: said("bound own.csv few.csv --in-order --json"),
        lambda: said("bound own.csv few.csv --in-order --column two --delta 0.2"),
        lambda: said("bound own.csv few.csv -o out.csv"),
        lambda: said("bound own.csv short.csv"),
        lambda: said("bound own.csv few.csv --delta 2"),
        lambda: said("bound own.csv few.csv --column odd"),
        lambda: said("bound own.csv few.csv --in-order --target 0.9"),
        lambda: said("bound own.csv few.csv --in-order --target 0.01 --json"),
        lambda: said("bound own.csv few.csv --in-order --once --target 0.2"),
        lambda: said("bound own.csv few.csv --in-order --predict p.csv"),
        lambda: said("bound own.csv few.csv --in-order --classes 3"),
        lambda: said("bound own.csv few.csv --in-order --classes open"),
        lambda: said("bound own.csv few.csv --in-order --classes 'kind 0,kind 1'"),
        lambda: said("bound a.labels short.csv --noise drop"),
        lambda: said("bound own.csv few.csv --in-order --delta 0.5 --column three --column two"),
        lambda: (said("bound named.csv drawn.csv --in-order --predict p.csv"),
            said("bound far.csv drawn.csv --in-order"), said("bound own.csv drawn.csv --delta 0"),
            said("bound own.csv drawn.csv --noise odd")),
    ],
    "run": [
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --why --all"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --labels l.csv"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --labels l.csv --storage s.sortal && run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --storage s.sortal && assign x.csv --study s.sortal && report s.sortal -o r.html"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --by odd"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --by silhouette --all"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet -k 3:2"),
        lambda: said("run x.csv --id-column id --labelings own.csv --only-labelings --quiet --why"),
        lambda: said("run x.csv --id-column id --labelings own.csv --only-labelings --quiet --by silhouette --all"),
        lambda: said("run x.csv --id-column id --truth named.csv -c ward -k 3 --quiet"),
        lambda: said("run x.csv --pairs pairs.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet"),
        lambda: said("run x.csv -c odd"),
        lambda: said("run nowhere.csv"),
        lambda: said("run empty.csv"),
        lambda: said("run x.csv --grid eps"),
        lambda: said("run x.csv --budget x"),
        lambda: said("run texts.jsonl --text-column text -c average -k 2 --quiet"),
        lambda: said("run x.csv --labels x.csv"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --labels l.csv --storage s.sortal && assign x.csv --study s.sortal -o o.csv && assign x.csv --study s.sortal -o o.csv && assign x.csv --study s.sortal -o o.csv --force && assign own.csv --study s.sortal -o q.csv"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --storage s.sortal && run x.csv --id-column id --storage s.sortal --labelings own.csv --only-labelings --quiet --why"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --weights equal --why"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --scale standard"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --report r.html && run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --report r.html"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --labels l.csv && run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --labels l.csv && run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --labels l.csv --force"),
        lambda: said("run x.csv -c dbscan --grid eps=1:3:1 --quiet"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --no-stability --alternatives 2 --labels l.tsv --save-model m.sortal-model --storage s.sortal"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --no-stability --why --all --by silhouette --labels l.parquet"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --no-stability --anyway",
            columns=60),
        lambda: said("run x.csv --labelings own.csv --only-labelings --no-reference --labels l.csv"),
        lambda: said("run x.csv --id-column id -c ward -k 2:3 --n-init 1 --workers 1 --quiet --save-model m.sortal-model && watch m.sortal-model b/s --reference 1 && assign x.csv --model m.sortal-model -o a.csv && assign far.csv --model m.sortal-model -o b.csv && assign x.csv --model m.sortal-model -o a.parquet --append && assign x.csv --model m.sortal-model -o a.json"),
        lambda: said("run x.csv --id-column id -c ward -k 3 --n-init 1 --workers 1 --no-stability --differences gaussian:1.0"),
        lambda: (said("run x.csv --distances d.npy --graph g.npz"),
            said("run x.csv --only-labelings"), said("run x.csv --classes 0,-1 --label-column id"),
            said("run x.csv --labels l.json"), said("run x.csv --against nowhere.sortal-model")),
    ],
    "bench": [
        lambda: said("bench ."),
        lambda: said("bench nowhere"),
    ],
    "watch": [
        lambda: said("watch nowhere"),
    ],
    "assign": [
        lambda: said("assign x.csv --study nowhere.sortal"),
        lambda: said("assign"),
    ],
    "report": [
        lambda: said("report nowhere.sortal"),
        lambda: said("report"),
    ],
    "label": [
        lambda: said("label nowhere"),
        lambda: (said("label x.csv --labelings own.csv --delta 0"),
            said("label x.csv --labelings own.csv --export e.html"),
            said("label x.csv --labelings own.csv --predict x.csv")),
        lambda: said("label x.csv --labelings own.csv --import few.csv --target 1 --classes 3"),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES)

"""Files of documents and of counts of terms, to data sets and through ``sortal run``."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

import sortal
from sortal import InputError
from sortal.cli import app
from sortal.datasets import read

TOPICS = {
    "sea": "ship sailor harbour wave anchor storm",
    "food": "bread butter oven flour sugar dough",
}
ANY = {"vectorizer": {"min_df": 1, "max_df": 1.0}}


def corpus(n=12):
    rng = np.random.default_rng(0)
    names = [list(TOPICS)[i % 2] for i in range(n)]
    return [(name, " ".join(rng.choice(TOPICS[name].split(), 8))) for name in names]


def write_lines(path, records):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz"])
def test_json_lines(tmp_path, name):
    records = [{"id": f"d{i}", "topic": t, "text": x} for i, (t, x) in enumerate(corpus())]
    path = write_lines(tmp_path / name, records)
    data = read(path, text_column="text", label_column="topic")
    assert (data.n_objects, data.metric, data.name) == (12, "cosine", "news")
    assert data.texts[1] == records[1]["text"]
    assert data.ids[3] == "d3"
    assert list(data.y) == [r["topic"] for r in records]
    assert "ship" in data.feature_names
    again = read(
        path,
        label_column="topic",
        **{k: v for k, v in data.options.items() if k not in ("label_column", "id_column")},
    )
    assert again.fingerprint == data.fingerprint


def test_json_lines_that_cannot_be_used(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{"body": "a b", "x": 1}, {"body": "b c"}])
    with pytest.raises(InputError, match="did you mean 'body'"):
        read(path, text_column="bdy")
    path.write_text('{"text": "a"}\n[1]\n')
    with pytest.raises(InputError, match="line 2"):
        read(path, text_column="text")
    path.write_text('{"text": "a"}\n{"text\n')
    with pytest.raises(InputError, match="line 2 is not JSON"):
        read(path, text_column="text")


def test_a_field_called_text_has_the_texts(tmp_path):
    records = [{"text": text, "x": i} for i, (_, text) in enumerate(corpus())]
    path = write_lines(tmp_path / "a.jsonl", records)
    data = read(path)
    assert data.texts == tuple(record["text"] for record in records)
    assert "The texts are those of the field 'text'." in data.notes


def test_a_column_of_a_table(tmp_path):
    path = tmp_path / "t.csv"
    lines = ["topic,note,size", *(f'{t},"{x}, and more",{i}' for i, (t, x) in enumerate(corpus()))]
    path.write_text("\n".join(lines) + "\n")
    data = read(path, text_column="note", label_column="topic")
    assert data.texts[0].endswith(", and more")
    assert set(data.y) == set(TOPICS)
    assert "size" not in data.feature_names


def test_a_folder_with_subfolders(tmp_path):
    for i, (topic, text) in enumerate(corpus()):
        (tmp_path / "docs" / topic).mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / topic / f"{i}.txt").write_text(text)
    data = read(tmp_path / "docs")
    assert set(data.y) == set(TOPICS)
    assert data.ids[0] == "food/1.txt"
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="folder without files"):
        read(tmp_path / "none")


def test_messages_are_used_without_headers(tmp_path):
    texts = [f"Newsgroups: secret.{t}\nSubject: x\n\n{x}\n\nbye" for t, x in corpus()]
    path = write_lines(tmp_path / "m.jsonl", [{"text": text} for text in texts])
    data = read(path, text_column="text", **ANY)
    assert "secret" not in data.feature_names
    assert data.texts[0].endswith("bye")
    assert "only their bodies" in " ".join(data.notes)
    kept = read(path, text_column="text", messages=False, **ANY)
    assert "secret" in kept.feature_names


def test_cluto(tmp_path):
    counts = sparse.random_array((9, 5), density=0.5, rng=4, format="csr")
    counts.data = np.ceil(counts.data * 4)
    lines = [f"9 5 {counts.nnz}"]
    for i in range(9):
        row = counts[[i]].tocoo()
        lines.append(" ".join(f"{j + 1} {v:g}" for j, v in zip(row.col, row.data, strict=True)))
    (tmp_path / "c.mat").write_text("\n".join(lines) + "\n")
    (tmp_path / "c.mat.rclass").write_text("\n".join("ab"[i % 2] for i in range(9)) + "\n")
    (tmp_path / "c.mat.clabel").write_text("\n".join("vwxyz") + "\n")
    data = read(tmp_path / "c.mat", vectorizer={"weight": "tf", "norm": None})
    np.testing.assert_array_equal(data.X.toarray(), counts.toarray())
    assert (data.feature_names, data.y[1], data.metric) == (tuple("vwxyz"), "b", "cosine")
    io.mmwrite(tmp_path / "m.mtx", counts)
    (tmp_path / "m.terms.txt").write_text("\n".join("vwxyz") + "\n")
    same = read(tmp_path / "m.mtx", vectorizer={"weight": "tf", "norm": None})
    assert same.fingerprint == data.fingerprint
    sparse.save_npz(tmp_path / "n.npz", counts)
    (tmp_path / "words").write_text("\n".join("vwxy") + "\n")
    with pytest.raises(InputError, match="4 terms, but the matrix has 5 columns"):
        read(tmp_path / "n.npz", terms=tmp_path / "words")
    assert read(tmp_path / "n.npz").metric == "euclidean"
    (tmp_path / "words").write_bytes(b"v\nw\ncaf\xe9\ny\nz\n")
    with pytest.raises(InputError, match=r"words is not written in UTF-8: byte 7 \(line 3\)"):
        read(tmp_path / "n.npz", terms=tmp_path / "words")
    (tmp_path / "words").write_bytes("v\nw\nx\ny\ncafé".encode()[:-1])
    with pytest.raises(InputError, match=r"words is not written in UTF-8: byte 11 \(line 5\)"):
        read(tmp_path / "n.npz", terms=tmp_path / "words")
    (tmp_path / "words.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"words\.gz cannot be read"):
        read(tmp_path / "n.npz", terms=tmp_path / "words.gz")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2 3 2\n1 1\n4 1\n", "outside 1"),
        ("2 3 2\n1 1\n", "2 rows"),
        ("2 3 2\n1 1 2\n2 1\n", "line 2 is not pairs"),
        ("2 3 5\n1 1\n2 1\n", "5 non-zeros"),
        ("a b\n", "line 1"),
        ("MATLAB 5.0 MAT-file\n", "MATLAB"),
        ("2 2\n1 2\n3\n", "line 3 has 1 of 2"),
    ],
)
def test_cluto_files_that_are_damaged(tmp_path, text, reason):
    (tmp_path / "c.mat").write_text(text)
    with pytest.raises(InputError, match=reason):
        read(tmp_path / "c.mat")


def test_libsvm(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:2 3:1\n-1 2:1\n1 1:1\n")
    data = read(tmp_path / "a.svm", vectorizer={"weight": "tf", "norm": None})
    np.testing.assert_array_equal(data.X.toarray(), [[2, 0, 1], [0, 1, 0], [1, 0, 0]])
    assert data.y is not None
    for name, text in (
        ("b.svm", "1 1:2\n2 1:1 2:nan\n1 1:inf\n"),
        ("b.mat", "3 2 3\n1 1\n2 inf\n1 nan\n"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=r"2 counts of terms are missing.* row 2 of 3"):
            read(tmp_path / name)


def test_run_on_json_lines(tmp_path):
    path = write_lines(tmp_path / "n.jsonl", [{"text": text} for _, text in corpus(40)])
    arguments = ["run", str(path), "--text-column", "text", "-k", "2:3", "--workers", "1", "--json"]
    result = CliRunner().invoke(app, [*arguments, "-c", "kmeans", "-c", "average"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["best"]["n_clusters"] == 2
    assert "cosine" in " ".join(answer["best"]["notes"])


def test_documents_are_swept_by_clusterers_of_documents(tmp_path):
    path = write_lines(tmp_path / "n.jsonl", [{"text": text} for _, text in corpus(40)])
    study = sortal.Study(read(path, text_column="text"))
    study.sweep(k=[2], n_init=1, workers=1, progress=False)
    assert set(study.candidates["status"]) == {"ok"}
    assert {"spherical-kmeans-refined", "soft-movmf", "kl-kmeans"} <= {
        *study.candidates["clusterer"]
    }
    truth = [topic for topic, _ in corpus(40)]
    for name in study.candidates.index:
        assert adjusted_rand_score(truth, study.labels(name)) == 1

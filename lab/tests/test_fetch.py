"""Fetching against a server of our own: what is cut, wrong, moved or missing."""

from __future__ import annotations

import gzip
import hashlib
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sortal import InputError
from sortal_lab import data, fetch
from sortal_lab.originals import RECIPES, content_digest, packed, sparse_arff, table

POINTS = gzip.compress(b"".join(b"%d.50 2e-3\n" % (i * i) for i in range(30_000)))
LABELS = gzip.compress(b"1\n2\n" * 15_000)


class Server(ThreadingHTTPServer):
    """Serves ``files``; ``cut`` ends the first answer for a path early."""

    files: dict[str, bytes]
    cut: set[str]
    moved: dict[str, str]
    asked: list[tuple[str, str | None]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        given = self.headers.get("Range")
        self.server.asked.append((self.path, given))
        if self.path in self.server.moved:
            self.send_response(301)
            self.send_header("Location", self.server.moved[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = self.server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        start = int(given.removeprefix("bytes=").rstrip("-")) if given else 0
        self.send_response(206 if given else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = len(content)
        if self.path in self.server.cut:
            self.server.cut.remove(self.path)
            end = len(content) // 2
        self.wfile.write(content[start:end])


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(("127.0.0.1", 0), Handler)
    found.files = {"/a/x.data.gz": POINTS, "/a/x.labels0.gz": LABELS}
    found.cut, found.moved, found.asked = set(), {}, []
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield found
    found.shutdown()
    found.server_close()


@pytest.fixture
def entry(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A data set that the server has, and an empty data folder."""
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    files = {
        "x.data.gz": {"sha256": hashlib.sha256(POINTS).hexdigest()},
        "x.labels0.gz": {"sha256": None},
    }
    (tmp_path / "there").mkdir()
    made = {}
    for file in (("x.data.gz", POINTS), ("x.labels0.gz", LABELS)):
        (tmp_path / "there" / file[0]).write_bytes(file[1])
    contents = RECIPES["battery"](sorted((tmp_path / "there").iterdir()))
    for suffix, content in contents.items():
        made[f"points/x{suffix}"] = content_digest(packed(suffix, content), suffix)
    found = {
        "name": "x",
        "path": "points/x.data.csv.gz",
        "sha256": made,
        "content": made,
        "done": "header line added",
        "sources": [
            {
                "at": f"http://127.0.0.1:{server.server_port}/a/",
                "files": files,
                "recipe": "battery",
            }
        ],
    }
    monkeypatch.setattr(fetch, "index", lambda: {"x": found})
    return found


def test_it_is_fetched_once_and_verified(entry: Any, server: Server, tmp_path: Path) -> None:
    assert fetch.state("x") == "absent"
    told: list[str] = []
    assert fetch.fetch("x", progress=told.append) == "fetched"
    assert told[-1] == "x: header line added"
    assert fetch.fetch("x") == "there"
    assert len(server.asked) == 2
    path = tmp_path / "points/x.data.csv.gz"
    assert gzip.decompress(path.read_bytes()).startswith(b"x1,x2\n0.50,2e-3\n1.50,2e-3\n")
    (tmp_path / "points/x.data.csv.gz").write_bytes(gzip.compress(b"x1\n"))
    assert fetch.state("x") == "damaged"
    (tmp_path / "points/x.data.csv.gz").write_bytes(b"no gzip")
    assert fetch.state("x") == "damaged"
    assert fetch.fetch("x") == "fetched"
    assert len(server.asked) == 2, "the originals are kept"


def test_a_cut_download_resumes_where_it_stopped(entry: Any, server: Server) -> None:
    server.cut.add("/a/x.data.gz")
    with pytest.raises(InputError, match=r"x\.data\.gz cannot be reached"):
        fetch.fetch("x")
    assert fetch.fetch("x") == "fetched"
    assert server.asked[1][1] is not None, "the second time, the rest is asked for"
    assert len(POINTS) // 4 < int(server.asked[1][1][6:-1]) <= len(POINTS) // 2


def test_wrong_bytes_are_not_taken(entry: Any, server: Server, tmp_path: Path) -> None:
    server.files["/a/x.data.gz"] = gzip.compress(b"9 9\n")
    with pytest.raises(InputError, match="has another SHA-256"):
        fetch.fetch("x")
    server.files["/a/x.data.gz"] = POINTS
    server.files["/a/x.labels0.gz"] = gzip.compress(b"9\n")
    with pytest.raises(InputError, match=r"x\.labels0\.csv\.gz made from .* another content"):
        fetch.fetch("x")
    assert not (tmp_path / "points").exists()


def test_a_moved_file_is_followed_and_the_next_source_asked(entry: Any, server: Server) -> None:
    there = server.files.pop("/a/x.data.gz")
    server.files["/b/x.data.gz"] = there
    server.moved["/a/x.data.gz"] = "/b/x.data.gz"
    assert fetch.fetch("x") == "fetched"


def test_the_next_source_is_asked(entry: Any, server: Server, tmp_path: Path) -> None:
    first = dict(entry["sources"][0], at=f"http://127.0.0.1:{server.server_port}/gone/")
    entry["sources"].insert(0, first)
    assert fetch.fetch("x") == "fetched"
    assert ("/gone/x.data.gz", None) in server.asked


def test_without_a_connection_it_says_what_to_put_where(
    entry: Any, server: Server, tmp_path: Path
) -> None:
    entry["sources"][0]["at"] = "http://127.0.0.1:9/"
    with pytest.raises(InputError) as told:
        fetch.fetch("x")
    folder = tmp_path / "originals" / "x"
    for part in ("http://127.0.0.1:9/x.data.gz", str(folder), "points/x.labels0.csv.gz"):
        assert part in str(told.value)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.data.gz").write_bytes(POINTS)
    (folder / "x.labels0.gz").write_bytes(LABELS)
    assert fetch.fetch("x") == "fetched"
    assert not server.asked


def test_an_original_of_another_form_is_named(entry: Any, server: Server, tmp_path: Path) -> None:
    server.files["/a/x.labels0.gz"] = b"no gzip"
    with pytest.raises(InputError, match="is not what was expected") as told:
        fetch.fetch("x")
    assert f"remove {tmp_path / 'originals' / 'x'}" in str(told.value)


def test_a_table_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/a.dat", "1, 2, x\n3, 4, y\n")
    assert table([path], member="folder/a.dat") == {".csv.gz": b"x1,x2,label\n1,2,x\n3,4,y\n"}


def test_every_recipe_of_the_registry_exists() -> None:
    for found in data.index().values():
        for source in found["sources"]:
            assert source["recipe"] in RECIPES
            assert source["files"] or source["recipe"] == "digits"


def test_an_arff_table(tmp_path: Path) -> None:
    path = tmp_path / "a.arff"
    path.write_text(
        "% of something\n@relation a\n@attribute 'long name' integer [1,10]\n"
        "@attribute b {true, false}\n@attribute class { x, y}\n\n@data\n3,true,x\n?,false,'y'\n"
    )
    assert table([path], arff=True) == {".csv.gz": b"long_name,b,label\n3.0,1,x\n,0,y\n"}


def test_a_sparse_arff_table(tmp_path: Path) -> None:
    from io import BytesIO

    from scipy import sparse

    path = tmp_path / "a.arff"
    path.write_text(
        "@relation a\n@attribute one real\n@attribute two real\n@attribute class {p,q}\n"
        "@data\n{1 3,2 q}\n{0 2}\n"
    )
    found = sparse_arff([path])
    assert found[".labels.txt.gz"] == b"q\np\n"
    assert found[".terms.txt.gz"] == b"one\ntwo\n"
    counts = sparse.load_npz(BytesIO(found[".npz"]))
    assert counts.toarray().tolist() == [[0, 3], [2, 0]]


def test_the_packaged_digits_are_those_of_the_collection() -> None:
    content = RECIPES["digits"]([])[".csv.gz"]
    known = data.index()["digits_test"]["content"]["points/digits_test.csv.gz"]
    assert hashlib.sha256(content).hexdigest() == known

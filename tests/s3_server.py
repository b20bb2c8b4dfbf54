"""A small server of S3's protocol over a folder: what readers and writers of tables need."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


def _joined(stream: BinaryIO) -> bytes:
    """The data of chunks, each after a line with its size; the last one is empty."""
    data = b""
    while size := int(stream.readline().partition(b";")[0], 16):
        data += stream.read(size)
        stream.readline()
    while stream.readline().strip():  # checksums
        pass
    return data


class Handler(BaseHTTPRequestHandler):
    """Objects are files; keys that end in a slash are empty objects."""

    protocol_version = "HTTP/1.1"
    folder: Path

    @property
    def place(self) -> Path:
        """The file of the object."""
        return self.folder / unquote(urlsplit(self.path).path).strip("/")

    @property
    def query(self) -> dict[str, str]:
        """The parameters."""
        parsed = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        return {name: values[0] for name, values in parsed.items()}

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in {"ETag": '"0"', **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def missing(self) -> None:
        """Say that there is no such key."""
        self.reply(404, b"<Error><Code>NoSuchKey</Code></Error>", Content_Type="application/xml")

    def do_HEAD(self) -> None:
        """Size of an object, or whether there is a bucket."""
        if self.place.is_file():
            self.reply(200, Content_Length=str(self.place.stat().st_size))
        elif self.place.is_dir() and self.place.parent == self.folder:
            self.reply(200)
        else:
            self.reply(404)

    def do_GET(self) -> None:
        """A list of objects, or the bytes of one."""
        if "list-type" in self.query:
            self.reply(200, self.listing().encode(), Content_Type="application/xml")
        elif not self.place.is_file():
            self.missing()
        else:
            content = self.place.read_bytes()
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            if wanted is None:
                self.reply(200, content)
                return
            first, last = int(wanted[1]), min(int(wanted[2]), len(content) - 1)
            span = f"bytes {first}-{last}/{len(content)}"
            self.reply(206, content[first : last + 1], Content_Range=span)

    def listing(self) -> str:
        """The keys with a prefix, up to the delimiter."""
        prefix, delimiter = self.query.get("prefix", ""), self.query.get("delimiter", "")
        files = {
            path.relative_to(self.place).as_posix(): path.stat().st_size
            for path in sorted(self.place.rglob("*"))
            if path.is_file()
        }
        keys, folders = [], set()
        for key, size in files.items():
            if not key.startswith(prefix):
                continue
            inner, found, _ = (
                key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
            )
            if found:
                folders.add(prefix + inner + delimiter)
            else:
                keys.append(f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size></Contents>")
        common = [f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>" for f in folders]
        return (
            f"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>{len(keys)}</KeyCount>"
            f"{''.join(keys)}{''.join(common)}</ListBucketResult>"
        )

    def content(self) -> bytes:
        """The body of a request; it may come in chunks, and these in chunks of the transfer."""
        body = self.rfile
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = BytesIO(_joined(body))
        if "aws-chunked" in self.headers.get("Content-Encoding", ""):
            return _joined(body)
        return body.read(int(self.headers.get("Content-Length", 0)))

    def do_PUT(self) -> None:
        """Store an object or a part of one, or copy an object."""
        content, place = self.content(), self.place
        source = self.headers.get("x-amz-copy-source")
        if source is not None:
            copied = self.folder / unquote(source).lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(copied.read_bytes())
            date = "<LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            etag = "<ETag>&quot;1&quot;</ETag>"
            self.reply(200, f"<CopyObjectResult>{date}{etag}</CopyObjectResult>".encode())
            return
        if "partNumber" in self.query:
            place = place.with_name(f".{place.name}.{int(self.query['partNumber']):05d}")
        if not self.path.endswith("/"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        self.reply(200)

    def do_POST(self) -> None:
        """Begin an upload in parts, end it, or delete objects."""
        body, place = self.content().decode(), self.place
        if "uploads" in self.query:
            name = "InitiateMultipartUploadResult"
            answer = f"<{name}><UploadId>1</UploadId></{name}>"
        elif "uploadId" in self.query:
            parts = sorted(place.parent.glob(f".{place.name}.*"))
            place.write_bytes(b"".join(part.read_bytes() for part in parts))
            for part in parts:
                part.unlink()
            answer = "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"
        else:
            for key in re.findall("<Key>(.*?)</Key>", body):
                (place / key).unlink(missing_ok=True)
            answer = "<DeleteResult></DeleteResult>"
        self.reply(200, answer.encode(), Content_Type="application/xml")

    def do_DELETE(self) -> None:
        """Delete an object."""
        self.place.unlink(missing_ok=True)
        self.reply(204)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server whose buckets are the folders of a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Of", (Handler,), {"folder": folder}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

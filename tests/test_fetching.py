import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from dendrolab import datasets, fetching
from dendrolab.registry import describe_content

DATA, TARGET = np.array([[1.0, 2.0], [3.5, np.nan], [5.0, 6.0]]), np.array(["a", "a", "b"], dtype=object)
FILE = b"a,1,2\na,3.5,?\nb,5,6\n"


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


class Server:
    """An archive on loopback: ``body`` is sent, ``promised`` is the length that the header gives."""

    def __init__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests += 1
                self.send_response(outer.status)
                self.send_header("Content-Length", str(outer.promised or len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *arguments):
                pass

        self.status, self.promised, self.requests = 200, None, 0
        self.body = zipped({"folder/toy.data": FILE, "toy.names": b"about"})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/toy.zip"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(fetching, "cache_folder", lambda: folder)
    monkeypatch.delenv("DENDROLAB_DATA", raising=False)
    return folder


@pytest.fixture
def server(cache, monkeypatch):
    server = Server()
    entry = {
        "title": "Toy",
        "page": "http://archive.example/toy",
        "url": server.url,
        "licence": "CC BY 4.0",
        "citation": "Nobody.",
        "short_citation": "Nobody",
        "members": ["toy.data"],
        "layout": {"separator": ",", "features": [1, 3], "label": 0},
        "copy": ["toy.csv"],
        "content": describe_content(DATA, TARGET),
    }
    monkeypatch.setattr(datasets, "read_registry", lambda: {"toy": entry})
    server.entry = entry
    yield server
    server.close()


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


def test_fetched_once_then_read_from_the_cache(server, cache):
    assert not datasets.list_datasets().set_index("name").offline["toy"]
    first = datasets.load_dataset("toy")
    np.testing.assert_array_equal(first.data, DATA)
    assert first.target.tolist() == TARGET.tolist()
    assert first.feature_names == ["f0", "f1"]
    assert first.target_names.tolist() == ["a", "b"]
    assert "Nobody." in first.DESCR
    assert files_in(cache) == ["toy.zip"]
    assert datasets.list_datasets().set_index("name").offline["toy"]
    server.status = 500
    np.testing.assert_array_equal(datasets.load_dataset("toy").data, DATA)
    assert server.requests == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            lambda s: setattr(s, "promised", len(s.body) + 999),
            OSError,
            "the download broke off.*archive.example/toy",
        ),
        (
            lambda s: setattr(s, "status", 404),
            OSError,
            "404.*Download toy.zip from http://archive.example/toy",
        ),
        (
            lambda s: setattr(s, "body", s.body[:-30]),
            ValueError,
            "not a complete zip archive.*nothing was kept",
        ),
        (lambda s: setattr(s, "body", b"<html>gone</html>"), ValueError, "not a complete zip archive"),
        (
            lambda s: setattr(s, "body", zipped({"other": FILE})),
            ValueError,
            "has no file 'toy.data'; it has other",
        ),
        (
            lambda s: setattr(s, "body", zipped({"toy.data": FILE, "../evil": b"x"})),
            ValueError,
            r"member '\.\./evil' points outside",
        ),
        (
            lambda s: setattr(s, "body", zipped({"toy.data": FILE, "C:\\evil": b"x"})),
            ValueError,
            "points outside",
        ),
        (
            lambda s: setattr(s, "body", zipped({"toy.data": FILE, "/evil": b"x"})),
            ValueError,
            "points outside",
        ),
        (
            lambda s: setattr(s, "body", zipped({"toy.data": FILE.replace(b"6", b"7")})),
            ValueError,
            "damaged or another one: sha256 .* expected",
        ),
        (
            lambda s: setattr(s, "body", zipped({"toy.data": FILE + b"b,1,1\n"})),
            ValueError,
            "rows 4, expected 3; classes",
        ),
        (
            lambda s: setattr(s, "body", zipped({"toy.data": FILE + b"b,x,1\n"})),
            ValueError,
            "not laid out as expected: .*'x'",
        ),
    ],
    ids=["broken", "404", "cut", "html", "member", "climb", "drive", "root", "sha", "rows", "layout"],
)
def test_bad_download_is_refused_and_leaves_nothing(server, cache, change, error, message):
    change(server)
    with pytest.raises(error, match=message):
        datasets.load_dataset("toy")
    assert files_in(cache) == []


def test_no_network_says_where_to_get_it_and_where_to_put_it(server, cache, tmp_path, monkeypatch):
    server.close()
    with pytest.raises(
        OSError, match=r"no connection.*toy.zip from http://archive.example/toy and put it into"
    ) as caught:
        datasets.load_dataset("toy")
    assert str(cache) in str(caught.value)
    monkeypatch.setenv("DENDROLAB_DATA", str(tmp_path))
    with pytest.raises(OSError, match="no connection") as caught:
        datasets.load_dataset("toy")
    assert f"put it into {tmp_path}" in str(caught.value)
    assert files_in(cache) == []


def test_set_without_address_says_where_to_get_it(server):
    server.entry["url"] = None
    with pytest.raises(
        OSError,
        match=r"not fetched automatically. Get it from http://archive.example/toy and put it as toy.data",
    ):
        datasets.load_dataset("toy")
    assert server.requests == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("toy.csv", b"f0,f1,label\n1,2,a\n3.5,,a\n5,6,b\n"),
        ("toy.data", FILE),
        ("toy/toy.data", FILE),
        ("toy.zip", zipped({"toy.data": FILE})),
    ],
)
def test_own_folder_comes_first(server, cache, tmp_path, name, content):
    path = tmp_path / "own" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    np.testing.assert_array_equal(datasets.load_dataset("toy", data_home=tmp_path / "own").data, DATA)
    assert server.requests == 0
    path.write_bytes(content[:-2] if name.endswith("zip") else content.replace(b"5,6", b"5,7"))
    with pytest.raises(ValueError, match="Remove or replace"):
        datasets.load_dataset("toy", data_home=tmp_path / "own")

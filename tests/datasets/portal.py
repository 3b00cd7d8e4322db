"""A local HTTP server that answers like the open-data portals, and misbehaves on demand."""

from __future__ import annotations

import csv
import io
import socket
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Portal:
    """Rows of text cells behind /resource/ID.csv, with $select, $where, $order, $limit and $offset.

    `faults` are used up one a request; each is a name of a method of the handler that answers instead.
    `requests` holds the query of every request, in order.
    """

    def __init__(self, resource: str, columns: list[str], rows: list[tuple[str, str]]) -> None:
        self.resource, self.columns, self.rows = resource, columns, rows
        self.faults: list[str] = []
        self.always: str | None = None
        self.requests: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"portal": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def offsets(self) -> list[int]:
        """Offsets of the pages that were asked for."""
        return [int(query["$offset"]) for query in self.requests if "$offset" in query]

    def __enter__(self) -> Portal:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    portal: Portal

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.portal.requests.append(query)
        fault = self.portal.faults.pop(0) if self.portal.faults else self.portal.always
        if url.path != f"/resource/{self.portal.resource}.csv":
            self._send(b"not found", 404)
        elif fault:
            getattr(self, fault)(self._answer(query))
        else:
            self._send(self._answer(query))

    def _answer(self, query: dict[str, str]) -> bytes:
        rows = [row for row in self.portal.rows if "$where" not in query or row[0]]
        if query.get("$select") == "count(*)":
            return f'"count"\n"{len(rows)}"\n'.encode()
        assert query["$order"] == ":id"
        assert query["$select"] == ",".join(self.portal.columns)
        first = int(query["$offset"])
        text = io.StringIO()
        writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([self.portal.columns, *rows[first : first + int(query["$limit"])]])
        return text.getvalue().encode()

    def _send(self, content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/csv; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    # -- faults ------------------------------------------------------------------------------------

    def good(self, answer: bytes) -> None:
        self._send(answer)

    def slow(self, answer: bytes) -> None:
        """Late enough for somebody else to ask meanwhile."""
        time.sleep(0.2)
        self._send(answer)

    def busy(self, answer: bytes) -> None:
        self._send(b"try later", 503)

    def busy_for_seven_seconds(self, answer: bytes) -> None:
        self._send(b"try later", 503, {"Retry-After": "7"})

    def gone(self, answer: bytes) -> None:
        self._send(b'{"error": true}', 404)

    def reset(self, answer: bytes) -> None:
        """Close without a word."""
        self.connection.shutdown(socket.SHUT_RDWR)

    def break_half_way(self, answer: bytes) -> None:
        self._break_after(len(answer) // 2, answer)

    def break_in_the_last_number(self, answer: bytes) -> None:
        """As many rows as there should be, but the last number is another one."""
        self._break_after(len(answer) - 4, answer)

    def _break_after(self, size: int, answer: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer[:size])

    def chunks(self, answer: bytes, end: bytes = b"0\r\n\r\n") -> None:
        """What a server sends that does not know the length in advance."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        for start in range(0, len(answer), 100):
            block = answer[start : start + 100]
            self.wfile.write(f"{len(block):x}\r\n".encode() + block + b"\r\n")
        self.wfile.write(end)
        self.close_connection = True

    def break_a_chunk(self, answer: bytes) -> None:
        self.chunks(answer[: len(answer) // 2], end=b"64\r\n12345")

    def truncate_without_a_length(self, answer: bytes) -> None:
        """The last number loses its last digits; nothing in HTTP tells."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer[:-4])

    def lose_rows(self, answer: bytes) -> None:
        self._send(b"\n".join(answer.splitlines()[:-2]) + b"\n")

    def other_columns(self, answer: bytes) -> None:
        self._send(b'"ward","beat"\n"1","2"\n')

    def words_for_numbers(self, answer: bytes) -> None:
        lines = answer.splitlines()
        self._send(b"\n".join([lines[0], *[b'"north","west"'] * (len(lines) - 1)]) + b"\n")

    def login_page(self, answer: bytes) -> None:
        self._send(b"<!DOCTYPE html><html><title>Log in to the Wi-Fi</title></html>")

    def flood(self, answer: bytes) -> None:
        self._send(answer + b"x" * 200_000)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output quiet."""

# Connections of generated Python clients: a pool of idle ones, and the exchange of one request and
# its response. Nothing here sends a request twice. Connecting, sending and receiving are separate
# steps, because only a failure to connect certainly has no effect. Proxies of environment variables
# are ignored.

from __future__ import annotations

import dataclasses
import io
import os
import re
import socket
import ssl
import threading
import time
import urllib.parse
from http.client import HTTPException, HTTPResponse, IncompleteRead
from http.client import HTTPMessage
from typing import Any, Callable, Iterable, Iterator, List, Optional, cast

_MAX_IDLE = 16
_PIECE = 64 * 1024
# Sockets reject longer timeouts.
_MAX_WAIT_FOR_SOCKET = 1e9
# About the longest string of a JavaScript engine.
_MAX_RESPONSE_BYTES = 512 * 1024 * 1024
# Longer errors are truncated, and then are not valid envelopes.
_MAX_ERROR_BYTES = 1024 * 1024
# Statuses after which a server closes the connection, often unannounced, because it did not read
# the whole request. Statuses 1xx are not final responses.
_CLOSING_STATUSES = (*range(100, 200), 408, 413, 414, 431)


class _Deadline:
    """Deadline of a call."""

    def __init__(self, seconds: Optional[float]) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds if seconds else None

    def is_over(self) -> bool:
        return self._end is not None and self._end <= time.monotonic()

    def remaining(self) -> Optional[float]:
        """Returns the seconds for the next operation; None: no limit."""
        if self.is_over():
            raise socket.timeout("timeout expired")
        if self._end is None:
            return None
        return min(max(self._end - time.monotonic(), 1e-6), _MAX_WAIT_FOR_SOCKET)

    def left(self) -> Optional[float]:
        """Returns the timeout for a further call, at least a millisecond; None: no limit."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.001)

    def sleep(self, seconds: float) -> None:
        left = seconds if self._end is None else self._end - time.monotonic()
        time.sleep(max(0.0, min(seconds, left)))


class _Incoming(io.RawIOBase):
    """Bytes that a socket receives until the deadline. Closing it leaves the socket open."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self.deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self.deadline.remaining())
        return self._sock.recv_into(buffer)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)


class _Stream:
    """A response whose body has not been read. It occupies its connection until it is closed."""

    def __init__(
        self,
        sock: socket.socket,
        incoming: _Incoming,
        response: HTTPResponse,
        put_back: Callable[[socket.socket, bool], None],
    ) -> None:
        self._sock = sock
        self._incoming = incoming
        self._response = response
        self._put_back = put_back
        self._is_open = True

    @property
    def headers(self) -> HTTPMessage:
        return self._response.headers

    def chunks(self, seconds: Optional[float]) -> Iterator[bytes]:
        """Raises _Fault if the response is incomplete, or if nothing arrives for `seconds`."""
        is_complete = False
        try:
            while True:
                self._incoming.deadline = _Deadline(seconds)
                data = self._response.read1(_PIECE)
                if not data:
                    break
                yield data
            if self._response.length:
                raise IncompleteRead(b"", self._response.length)
            is_read = self._response.isclosed() or self._response.length == 0
            is_complete = is_read and not self._response.will_close
        except (OSError, HTTPException, ValueError) as error:
            raise _Fault(True) from error
        finally:
            self._end(is_complete)

    def events(self, seconds: Optional[float]) -> Iterator[bytes]:
        """Server-sent events. Raises _Fault like `chunks`, and for one that is too long."""
        rest = bytearray()
        known = 0
        for data in self.chunks(seconds):
            rest += data
            end = rest.find(b"\n\n", known)
            start = 0
            while end >= 0:
                yield bytes(rest[start:end])
                start = end + 2
                end = rest.find(b"\n\n", start)
            del rest[:start]
            known = max(0, len(rest) - 1)
            if known > _MAX_RESPONSE_BYTES:
                self.close()
                error = HTTPException(f"stream item exceeds {_MAX_RESPONSE_BYTES} bytes")
                raise _Fault(True) from error

    def close(self) -> None:
        self._end(False)

    def _end(self, is_reusable: bool) -> None:
        if self._is_open:
            self._is_open = False
            self._put_back(self._sock, is_reusable)


@dataclasses.dataclass(frozen=True)
class _Response:
    status: int
    text: str
    # Hash of the server's argspec, if the response contains it.
    argspec: Optional[str]
    # The unread body, instead of `text`.
    stream: Optional[_Stream] = None


class _Fault(Exception):
    """No complete response was received; `__cause__` is the reason."""

    def __init__(self, is_sent: bool) -> None:
        super().__init__()
        # False if no byte was sent: the server cannot have executed the request.
        self.is_sent = is_sent


class _Server:
    """Address of a service, and the idle connections to it."""

    def __init__(self, base_url: str) -> None:
        parts = urllib.parse.urlsplit(base_url)
        is_plain = re.fullmatch(r"[!-~]*", base_url) and not re.search(r"[@?#]", base_url)
        self._host = parts.hostname or ""
        has_address = _is_host(self._host) and parts.port != 0
        if not is_plain or parts.scheme not in ("http", "https") or not has_address:
            raise ValueError(f"not a server URL: {base_url!r}")
        self.host_field = parts.netloc
        self.prefix = parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        self._idle: List[socket.socket] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __del__(self) -> None:
        for sock in getattr(self, "_idle", ()):
            sock.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for sock in idle:
            sock.close()

    def exchange(self, method: str, data: Iterable[bytes], deadline: _Deadline) -> _Response:
        """Sends one request, without retries, and reads its whole response. Raises _Fault."""
        return self.begin(method, data, deadline, lambda _: False)

    def begin(
        self,
        method: str,
        data: Iterable[bytes],
        deadline: _Deadline,
        is_streamed: Callable[[HTTPResponse], bool],
    ) -> _Response:
        """Sends one request. Leaves the body of the response unread if `is_streamed` returns true.
        Raises _Fault."""
        try:
            sock = self._take_idle() or self._connect(deadline)
        except OSError as error:
            raise _Fault(False) from error
        is_reusable = is_stream = False
        try:
            is_sent = _send(sock, data, deadline)
            # http.client calls only `makefile` of a socket.
            incoming = _Incoming(sock, deadline)
            response = HTTPResponse(cast(socket.socket, incoming), method=method)
            response.begin()
            argspec = response.getheader("x-svc-argspec")
            if is_streamed(response):
                is_stream = True
                stream = _Stream(sock, incoming, response, self._put_back)
                return _Response(response.status, "", argspec, stream)
            body = _read(response)
            is_open = response.isclosed() and not response.will_close
            is_reusable = is_sent and is_open and response.status not in _CLOSING_STATUSES
            return _Response(response.status, body.decode("utf-8", "replace"), argspec)
        except (OSError, HTTPException, ValueError) as error:
            # The cause, such as a restart of the server, may have broken all idle connections.
            self.close()
            raise _Fault(True) from error
        finally:
            if not is_stream:
                self._put_back(sock, is_reusable)

    def _take_idle(self) -> Optional[socket.socket]:
        if self._process != os.getpid():
            # After a fork, the parent process still uses these sockets.
            self.close()
            self._process = os.getpid()
        while True:
            with self._lock:
                sock = self._idle.pop() if self._idle else None
            if sock is None or _is_alive(sock):
                return sock
            sock.close()

    def _put_back(self, sock: socket.socket, is_reusable: bool) -> None:
        with self._lock:
            if is_reusable and len(self._idle) < _MAX_IDLE:
                self._idle.append(sock)
                return
        sock.close()

    def _connect(self, deadline: _Deadline) -> socket.socket:
        # The system's name lookup has no timeout.
        addresses = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        fault: OSError = OSError(f"{self._host} has no address")
        for index, (family, kind, protocol, _, address) in enumerate(addresses):
            left = deadline.remaining()
            sock = socket.socket(family, kind, protocol)
            try:
                # An address that does not respond must leave time for the others.
                sock.settimeout(None if left is None else left / (len(addresses) - index))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._tls is None:
                    return sock
                sock.settimeout(deadline.remaining())
                return self._tls.wrap_socket(sock, server_hostname=self._host)
            except OSError as error:
                sock.close()
                fault = error
        raise fault


def _is_host(name: str) -> bool:
    """Returns whether a host name is valid."""
    try:
        return name.encode("idna") != b""
    except UnicodeError:
        return False


def _is_alive(sock: socket.socket) -> bool:
    """Returns false if the server has closed the connection or has sent data without a request."""
    try:
        sock.setblocking(False)
        # Not the method of TLS sockets, which cannot look ahead.
        socket.socket.recv(sock, 1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _send(sock: socket.socket, data: Iterable[bytes], deadline: _Deadline) -> bool:
    """Returns false if the server stopped reading; it may have responded already, as to a body
    that is too long."""
    try:
        for part in data:
            for start in range(0, len(part), _PIECE):
                sock.settimeout(deadline.remaining())
                sock.sendall(part[start : start + _PIECE])
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


def _read(response: HTTPResponse) -> bytes:
    limit = _MAX_RESPONSE_BYTES if response.status == 200 else _MAX_ERROR_BYTES
    body = bytearray()
    # Read in pieces: `read` would allocate the announced length at once.
    while piece := response.read(_PIECE):
        body += piece
        if len(body) > limit and response.status == 200:
            raise HTTPException(f"response exceeds {limit} bytes")
        if len(body) > limit:
            return bytes(body[:limit])
    if response.length:
        raise IncompleteRead(b"", response.length)
    return bytes(body)

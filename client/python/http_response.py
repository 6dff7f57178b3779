# Responses without an envelope in all generated Python clients. Status and header fields are
# available at once, the body when the caller reads it.

from __future__ import annotations

import socket
from http.client import HTTPMessage
from typing import Any, Generic, Iterator, Optional, TypeVar, cast

from .answers import SvcError
from .requests import _Options
from .server import _MAX_RESPONSE_BYTES, _Fault, _Stream

_M = TypeVar("_M", bound=str)


class HttpResponse(Generic[_M]):
    """A response without an envelope: `read` it, or iterate over its chunks, once.

    status: 200 to 399; others raise SvcError.
    type: media type in lower case, without parameters; empty without a body.
    headers: header fields; `headers.get_all("set-cookie")` lists several of one name.
    """

    def __init__(self, status: int, stream: _Stream, path: str, options: _Options) -> None:
        self.status = status
        self.headers: HTTPMessage = stream.headers
        self.type = cast(_M, _media_type(stream.headers))
        self._stream = stream
        self._path = path
        self._timeout = options.timeout
        self._data: Optional[bytes] = None
        self._is_read = False

    def read(self) -> bytes:
        """Returns the whole body. Raises SvcError."""
        data = bytearray()
        for chunk in self:
            data += chunk
            if len(data) > _MAX_RESPONSE_BYTES:
                self.close()
                message = f"{self._path}: response is too large: iterate over its chunks"
                raise SvcError("http", message, status=self.status)
        return bytes(data)

    def __iter__(self) -> Iterator[bytes]:
        """Yields chunks as they arrive. The timeout of a call applies to each. Raises SvcError."""
        if self._is_read:
            raise ValueError("the body of the response has been read")
        self._is_read = True
        if self._data is not None:
            yield self._data
            return
        try:
            yield from self._stream.chunks(self._timeout)
        except _Fault as fault:
            subject = f"{self._path}: response"
            raise _interrupted(subject, self.status, fault) from fault.__cause__

    def close(self) -> None:
        """Closes the connection of a response whose body is not needed."""
        self._is_read = True
        self._stream.close()

    def __enter__(self) -> HttpResponse[_M]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with_data(self, data: bytes) -> HttpResponse[_M]:
        """Makes the body readable again."""
        self._data = data
        self._is_read = False
        return self


def _interrupted(subject: str, status: int, fault: _Fault) -> SvcError:
    """Returns the error for a body that ended too early or stalled until the timeout."""
    cause = fault.__cause__
    is_late = isinstance(cause, socket.timeout)
    reason = str(cause) or type(cause).__name__
    kind = "timeout" if is_late else "network"
    return SvcError(kind, f"{subject} interrupted: {reason}", status=status)


def _media_type(headers: Any) -> str:
    return str(headers.get("content-type", "")).partition(";")[0].strip().lower()

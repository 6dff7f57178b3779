# Builds the request of a call in all generated Python clients: target, header fields and body.
# Values of the caller are escaped or rejected, so that none can inject a header field or a request.
# `str` never converts a value: it would send the text `<_io.BytesIO object at 0x7f…>` for a file.

from __future__ import annotations

import dataclasses
import decimal
import itertools
import json
import mimetypes
import numbers
import os
import re
import secrets
import urllib.parse
from typing import IO, Any, Dict, Generic, Iterable, Iterator, Literal, Mapping, Optional
from typing import Tuple, Union, cast

from .answers import _T, _ErrorKinds
from .tokens import _TokenSource
from .typed_values import _Plan, _Plans, _to_json


class _LeftOut:
    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT: Any = _LeftOut()
"""Value of a parameter that is not sent, so that the server uses its default."""


@dataclasses.dataclass(frozen=True)
class _Operation(Generic[_T]):
    """Description of an operation, as needed to call it."""

    path: str
    # Parameters that are sent as JSON.
    json: Tuple[str, ...] = ()
    # Wire form of the parameter `content`, which makes the request a POST.
    content: Literal["", "bytes", "str", "json", "form"] = ""
    is_readonly: bool = False
    # The operation changes graphs: servers execute a request with an idempotency key once.
    is_once: bool = False
    # The server accepts only a POST with the header field `X-SVC-Change`.
    is_guarded: bool = False
    # The response is plain text without an envelope.
    is_text: bool = False
    # The result is a PluginResponse.
    is_response: bool = False
    # The response is a stream.
    is_stream: bool = False
    # The response has no envelope; `mixed`: it has one if the result is a value.
    http: Literal["", "response", "mixed"] = ""
    # Errors that the operation documents.
    errors: _ErrorKinds = ()
    # Plans of parameters and of the result, and the plans that both refer to.
    params: Mapping[str, _Plan] = dataclasses.field(default_factory=dict)
    result: Optional[_Plan] = None
    plans: _Plans = ()


@dataclasses.dataclass(frozen=True)
class _Options:
    """Options of a client."""

    timeout: Optional[float]
    retries: int
    headers: Mapping[str, str]
    partial: Optional[int] = None
    key: Optional[str] = None
    idempotent: bool = False
    tokens: Optional[_TokenSource] = None


_MEDIA_TYPES = {
    "bytes": "application/octet-stream",
    "str": "text/plain",
    "json": "application/json",
}
_MAX_KEY_BYTES = 2048
_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[\t -~\x80-\xff]*")
# Header fields that determine the destination and the end of a request.
_OTHER_FIELDS = ("connection", "content-length", "host", "transfer-encoding")


_CHUNK_BYTES = 64 * 1024

_Content = Union[bytes, bytearray, memoryview, IO[bytes], Iterator[bytes]]


class _SourceError(Exception):
    """A file or an iterator of the caller failed; `__cause__` is its error."""


class _StreamedBody:
    """A body of unknown length, read from a file or an iterator while it is sent, in chunks."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._is_read = False
        self._start: Optional[int] = None
        if hasattr(source, "read"):
            try:
                self._start = source.tell() if source.seekable() else None
            except (AttributeError, OSError):
                self._start = None

    def can_restart(self) -> bool:
        """Returns whether it can be sent; an iterator can be sent only once."""
        return not self._is_read or self._start is not None

    def chunks(self) -> Iterator[bytes]:
        """Raises _SourceError."""
        try:
            if self._is_read:
                self._source.seek(self._start)
            self._is_read = True
            for part in self._parts():
                data = _bytes(part, "content")
                if data:
                    yield b"%x\r\n%b\r\n" % (len(data), data)
        except Exception as error:
            raise _SourceError() from error
        yield b"0\r\n\r\n"

    def _parts(self) -> Iterator[Any]:
        if not hasattr(self._source, "read"):
            yield from self._source
            return
        while True:
            part = self._source.read(_CHUNK_BYTES)
            if part is None:
                raise TypeError("content: a file in non-blocking mode")
            if not part:
                return
            yield part


@dataclasses.dataclass(frozen=True)
class _Request:
    method: str
    target: str
    # Header fields by lower-case name.
    fields: Mapping[str, str]
    body: Union[bytes, _StreamedBody]

    def data(self, more_fields: Mapping[str, str]) -> Iterable[bytes]:
        """Returns the bytes to send, in parts. A part is long only if the caller holds it."""
        lines = [f"{name}: {value}" for name, value in {**self.fields, **more_fields}.items()]
        head = "\r\n".join([f"{self.method} {self.target} HTTP/1.1", *lines, "", ""])
        if isinstance(self.body, bytes):
            return (head.encode("latin-1") + self.body,)
        return itertools.chain((head.encode("latin-1"),), self.body.chunks())

    def with_token(self, token: str) -> _Request:
        return dataclasses.replace(self, fields={**self.fields, "authorization": f"Bearer {token}"})

    def can_restart(self) -> bool:
        return isinstance(self.body, bytes) or self.body.can_restart()


def _request_of(
    operation: _Operation[Any], params: Mapping[str, Any], options: _Options, prefix: str
) -> _Request:
    """Raises ValueError or TypeError for a value that JSON cannot represent."""
    accepted = "text/event-stream" if operation.is_stream else "application/json"
    fields = {"accept": "text/plain" if operation.is_text else accepted}
    query = {
        name: _to_json(value, operation.params[name], operation.plans)
        if name in operation.params
        else value
        for name, value in params.items()
        if value is not LEFT_OUT
    }
    content = query.pop("content", LEFT_OUT) if operation.content else LEFT_OUT
    if content is None and operation.content != "json":
        # The value that the plugin receives for a request without a body.
        content = LEFT_OUT
    body: Union[bytes, _StreamedBody] = b""
    if content is not LEFT_OUT:
        if operation.content == "form":
            body, fields["content-type"] = _form(cast(Dict[str, Any], content))
        else:
            body = _json(content) if operation.content == "json" else _body(content)
            fields["content-type"] = _MEDIA_TYPES[operation.content]
        if isinstance(body, bytes):
            fields["content-length"] = str(len(body))
        else:
            fields["transfer-encoding"] = "chunked"
    if operation.is_guarded:
        fields["x-svc-change"] = "1"
        fields.setdefault("content-length", "0")
    is_post = content is not LEFT_OUT or operation.is_guarded
    if is_post and not operation.is_readonly:
        # A unique string, quoted as structured fields require.
        fields["idempotency-key"] = f'"{secrets.token_hex(16)}"'
    fields.update(options.headers)
    if options.partial is not None:
        fields["x-svc-partial-target"] = str(options.partial)
    if options.key is not None:
        fields["x-svc-key"] = urllib.parse.quote(options.key, safe="")
    parts = [_query_part(name, value, operation) for name, value in query.items()]
    target = f"{prefix}{operation.path}{'?' if parts else ''}{'&'.join(parts)}"
    return _Request("POST" if is_post else "GET", target, fields, body)


def _form(files: Mapping[str, Any]) -> Tuple[bytes, str]:
    """Returns a form with files, and its media type. An open file is sent with the name and type of
    its path.

    Raises TypeError.
    """
    boundary = secrets.token_hex(16)
    parts = []
    for name, file in files.items():
        if file is None or file is LEFT_OUT:
            continue
        data = file.read() if hasattr(file, "read") else file
        path = getattr(file, "name", None)
        file_name = os.path.basename(path) if isinstance(path, str) else name
        media_type, encoding = mimetypes.guess_type(file_name)
        if media_type is None or encoding is not None:
            # `guess_type` returns the type of the content of a compressed file.
            media_type = "application/octet-stream"
        escaped = file_name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'form-data; name="{urllib.parse.quote(name, safe="")}"; filename="{escaped}"'
        parts.append(
            f"--{boundary}\r\nContent-Disposition: {head}\r\n"
            f"Content-Type: {media_type}\r\n\r\n".encode("utf-8", "replace")
            + _bytes(data, name)
            + b"\r\n"
        )
    body = b"".join(parts) + f"--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


def _query_part(name: str, value: Any, operation: _Operation[Any]) -> str:
    key = urllib.parse.quote(name, safe="")
    if value is None and name not in operation.json:
        return key
    data = _json(value) if name in operation.json else _query_bytes(value, name)
    return f"{key}={urllib.parse.quote_from_bytes(data, safe='')}"


def _query_bytes(value: Any, name: str) -> bytes:
    """Raises TypeError."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    # The base class formats the number: subclasses, such as enums, may override `__str__`.
    if isinstance(value, numbers.Integral):
        return str(int(value)).encode()
    if isinstance(value, decimal.Decimal):
        return decimal.Decimal.__str__(value).encode()
    if isinstance(value, numbers.Real):
        return repr(float(value)).encode()
    return _bytes(value, name)


def _body(content: Any) -> Union[bytes, _StreamedBody]:
    """Raises TypeError."""
    if hasattr(content, "read") or hasattr(content, "__next__"):
        return _StreamedBody(content)
    return _bytes(content, "content")


def _bytes(value: Any, name: str) -> bytes:
    """Raises TypeError for anything but text and bytes."""
    if isinstance(value, str):
        return str.encode(value, "utf-8")
    try:
        return memoryview(value).tobytes()
    except TypeError:
        expected = "text, bytes, a file or an iterator of bytes" if name == "content" else "text"
        found = type(value).__name__
        raise TypeError(f"{name}: expected {expected}, not {found}") from None


def _json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8")


def _own_partial(partial: object) -> Optional[int]:
    """Returns a partition if it is valid."""
    if partial is None or (isinstance(partial, int) and partial >= 0):
        return partial
    raise ValueError(f"invalid partition: {partial!r}")


def _own_key(key: object) -> Optional[str]:
    """Returns a key if its length is valid."""
    if key is None or (isinstance(key, str) and 0 < len(key.encode()) <= _MAX_KEY_BYTES):
        return key
    raise ValueError(f"a key has 1 to {_MAX_KEY_BYTES} bytes")


def _own_fields(headers: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """Returns header fields by lower-case name. Raises ValueError for an invalid one."""
    for name, value in (headers or {}).items():
        is_valid = _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value)
        if not is_valid or name.lower() in _OTHER_FIELDS:
            raise ValueError(f"invalid header field: {name!r}: {value!r}")
    return {name.lower(): value for name, value in (headers or {}).items()}

# One call as a request in all generated Python clients: its target, header lines and body. Whatever
# the caller gives is escaped or refused; nothing of it can become a header line or a request. A value
# is never converted by `str`, which would send the text `<_io.BytesIO object at 0x7f…>` for a file.

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
from typing import Tuple, Union

from .answers import _T, _ErrorKinds
from .tokens import _TokenSource
from .typed_values import _Plan, _Plans, _to_json


class _LeftOut:
    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT: Any = _LeftOut()
"""Value of a parameter that is not sent, so that the server takes its default."""


@dataclasses.dataclass(frozen=True)
class _Operation(Generic[_T]):
    """The part of an operation's description that a call needs."""

    path: str
    # Parameters that travel as JSON text.
    json: Tuple[str, ...] = ()
    # How the parameter `content` travels, which makes the request a POST.
    content: Literal["", "bytes", "str", "json", "form"] = ""
    is_readonly: bool = False
    # It changes graphs: servers execute a request with a key once.
    is_once: bool = False
    # Taken as a POST only, with the header `X-SVC-Change`.
    is_guarded: bool = False
    # The answer is text as it is, without an envelope.
    is_text: bool = False
    # It answers with a PluginResponse.
    is_response: bool = False
    # The response is a stream.
    is_stream: bool = False
    # The response has no envelope, or has one where it is a value: `mixed`.
    http: Literal["", "response", "mixed"] = ""
    # Errors that it documents.
    errors: _ErrorKinds = ()
    # Plans of parameters and of the result, and the plans that both refer to.
    given: Mapping[str, _Plan] = dataclasses.field(default_factory=dict)
    got: Optional[_Plan] = None
    plans: _Plans = ()


@dataclasses.dataclass(frozen=True)
class _Options:
    """Options of a client, or of one made by `with_options`."""

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
# They say where requests begin and end.
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
        """Whether it can be sent now: an iterator only once."""
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
    # By their names in small letters.
    fields: Mapping[str, str]
    body: Union[bytes, _StreamedBody]

    def data(self, more_fields: Mapping[str, str]) -> Iterable[bytes]:
        """In parts, none of which is long unless the caller holds it in memory anyway."""
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
    """The request for a call. Raises ValueError and TypeError for what is no JSON."""
    accepted = "text/event-stream" if operation.is_stream else "application/json"
    fields = {"accept": "text/plain" if operation.is_text else accepted}
    query = {
        name: _to_json(value, operation.given[name], operation.plans)
        if name in operation.given
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
            body, fields["content-type"] = _form(content)
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
        # A text that no other request has, in the quotes of a structured field.
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
    """The files of a form, and its media type. Open files have the name and type of their path.

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
            # Of a compressed file, that is the type of its content.
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
    # By their values: subclasses, such as enums, may be written otherwise.
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
    """A partition as it may stand in a header line."""
    if partial is None or (isinstance(partial, int) and partial >= 0):
        return partial
    raise ValueError(f"invalid partition: {partial!r}")


def _own_key(key: object) -> Optional[str]:
    """A key as it may stand in a header line once it is escaped."""
    if key is None or (isinstance(key, str) and 0 < len(key.encode()) <= _MAX_KEY_BYTES):
        return key
    raise ValueError(f"a key has 1 to {_MAX_KEY_BYTES} bytes")


def _own_fields(headers: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """Header lines of the caller by their names in small letters."""
    for name, value in (headers or {}).items():
        is_line = _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value)
        if not is_line or name.lower() in _OTHER_FIELDS:
            raise ValueError(f"invalid header line: {name!r}: {value!r}")
    return {name.lower(): value for name, value in (headers or {}).items()}

# One call as a request in all generated Python clients: its target, header lines and body. Whatever
# the caller gives is escaped or refused; nothing of it can become a header line or a request.

from __future__ import annotations

import dataclasses
import json
import re
import urllib.parse
from typing import Any, Dict, Generic, Literal, Mapping, Optional, Tuple, cast

from .answers import _T, _ErrorKinds


class _LeftOut:
    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT: Any = _LeftOut()
"""Value of a parameter that is not sent, so that the server takes its default."""


@dataclasses.dataclass(frozen=True)
class _Operation(Generic[_T]):
    """What must be known of one operation in order to call it."""

    path: str
    # Parameters that travel as JSON text.
    json: Tuple[str, ...] = ()
    # How the parameter `content` travels, which makes the request a POST.
    content: Literal["", "bytes", "str", "json"] = ""
    is_readonly: bool = False
    # Taken as a POST only, with the header `X-SVC-Change`.
    is_guarded: bool = False
    # The answer is text as it is, without an envelope.
    is_text: bool = False
    # It answers with a PluginResponse.
    is_response: bool = False
    # It answers piece by piece.
    is_stream: bool = False
    # Errors that it documents.
    errors: _ErrorKinds = ()


@dataclasses.dataclass(frozen=True)
class _Options:
    """What may be set for a client, or for one made by `with_options`."""

    timeout: Optional[float]
    retries: int
    headers: Mapping[str, str]
    partial: Optional[int] = None
    idempotent: bool = False


_MEDIA_TYPES = {
    "bytes": "application/octet-stream",
    "str": "text/plain",
    "json": "application/json",
}
_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[\t -~\x80-\xff]*")
# They say where requests begin and end.
_OTHER_FIELDS = ("connection", "content-length", "host", "transfer-encoding")


@dataclasses.dataclass(frozen=True)
class _Request:
    method: str
    target: str
    # By their names in small letters.
    fields: Mapping[str, str]
    body: bytes

    def data(self, more_fields: Mapping[str, str]) -> bytes:
        lines = [f"{name}: {value}" for name, value in {**self.fields, **more_fields}.items()]
        head = "\r\n".join([f"{self.method} {self.target} HTTP/1.1", *lines, "", ""])
        return head.encode("latin-1") + self.body


def _request_of(
    operation: _Operation[Any], params: Mapping[str, Any], options: _Options, prefix: str
) -> _Request:
    """The request for a call. Raises ValueError and TypeError for what is no JSON."""
    accepted = "text/event-stream" if operation.is_stream else "application/json"
    fields = {"accept": "text/plain" if operation.is_text else accepted}
    query = {name: value for name, value in params.items() if value is not LEFT_OUT}
    content = query.pop("content", LEFT_OUT) if operation.content else LEFT_OUT
    if content is None and operation.content != "json":
        # What the plugin is given for a request without a body.
        content = LEFT_OUT
    body = b""
    if content is not LEFT_OUT:
        body = _json(content) if operation.content == "json" else _bytes(content)
        fields["content-type"] = _MEDIA_TYPES[operation.content]
        fields["content-length"] = str(len(body))
    if operation.is_guarded:
        fields["x-svc-change"] = "1"
        fields.setdefault("content-length", "0")
    fields.update(options.headers)
    if options.partial is not None:
        fields["x-svc-partial-target"] = str(options.partial)
    parts = [_query_part(name, value, operation) for name, value in query.items()]
    target = f"{prefix}{operation.path}{'?' if parts else ''}{'&'.join(parts)}"
    is_post = content is not LEFT_OUT or operation.is_guarded
    return _Request("POST" if is_post else "GET", target, fields, body)


def _query_part(name: str, value: Any, operation: _Operation[Any]) -> str:
    key = urllib.parse.quote(name, safe="")
    if value is None and name not in operation.json:
        return key
    data = _json(value) if name in operation.json else _bytes(value)
    return f"{key}={urllib.parse.quote_from_bytes(data, safe='')}"


def _bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(cast(bytes, value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.encode("utf-8")


def _json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8")


def _own_partial(partial: object) -> Optional[int]:
    """A partition as it may stand in a header line."""
    if partial is None or (isinstance(partial, int) and partial >= 0):
        return partial
    raise ValueError(f"no partition: {partial!r}")


def _own_fields(headers: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """Header lines of the caller by their names in small letters."""
    for name, value in (headers or {}).items():
        is_line = _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value)
        if not is_line or name.lower() in _OTHER_FIELDS:
            raise ValueError(f"no header line: {name!r}: {value!r}")
    return {name.lower(): value for name, value in (headers or {}).items()}

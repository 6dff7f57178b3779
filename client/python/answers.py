# Outcomes of calls in all generated Python clients: responses, and the error class. Responses are
# untrusted and validated. Names that could collide with those of a service begin with `_`.
# scripts/python-runtime.mjs joins the modules of the runtime into one file.

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, Dict, Generic, List, Literal, Match, Optional, Tuple, Type, TypeVar, cast

_T = TypeVar("_T")
_K = TypeVar("_K")

ErrorKind = Literal[
    "parameter", "plugin", "result", "system", "backend", "http", "network", "timeout"
]


@dataclasses.dataclass(frozen=True)
class BackEndLevel:
    """A dispatcher that forwarded an error: the partition that failed, and its status."""

    partition: int
    width: int
    status: int


class SvcError(Exception):
    """A call that failed.

    kind: `parameter`: the server rejected the parameters; `plugin`: the plugin raised; `result`:
        the plugin returned an invalid result; `system`: the server failed; `backend`: the error
        occurred below a dispatcher, see `__cause__`; `http`: another error status, or an invalid
        response; `network`: no complete response; `timeout`: no response in time.
        An error that the plugin documents has its own name as kind, and a class of that name.
    status: HTTP status; None without a response.
    details: machine-readable details from the plugin; None if it sent none.
    exception, traceback: those of the exception on the server; for `backend`, the innermost.
    chain: for `backend`, the dispatchers that forwarded the error, the outermost first.
    envelope: the decoded response, or its text if it is not JSON; None without a response.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        status: Optional[int] = None,
        details: Any = None,
        exception: Optional[str] = None,
        traceback: Optional[Tuple[str, ...]] = None,
        chain: Tuple[BackEndLevel, ...] = (),
        envelope: Any = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.details = details
        self.exception = exception
        self.traceback = traceback
        self.chain = chain
        self.envelope = envelope

    def __reduce__(self) -> Tuple[Any, ...]:
        # Copying passes only positional arguments to the constructor.
        return type(self), (self.kind, str(self)), self.__dict__


_ErrorKinds = Tuple[Tuple[str, Tuple[int, ...], Type[SvcError]], ...]
"""Errors with a class of their own: names, statuses and classes."""


@dataclasses.dataclass(frozen=True)
class Envelope(Generic[_T]):
    """The envelope of a response (http-interface, "Response envelope")."""

    status: str
    response: _T
    level: int
    partitions: Optional[Tuple[int, int, int]]
    exec_ms: float
    port: Optional[Tuple[int, int]] = None
    exec_id: Optional[int] = None
    explain: Any = None
    coverage: Optional[float] = None
    """Share of the engines that contributed, 0 to 1; None unless partial results are allowed."""


@dataclasses.dataclass(frozen=True)
class PluginResponse(Generic[_K, _T]):
    """Items by their keys, merged from all partitions (plugin-api, "PluginResponse")."""

    level: int
    levelparts: int
    partials: int
    hitcount: int
    aggregator: Tuple[int, int, float, float]
    meta: Any
    entries: List[Tuple[_K, _T]]
    message: Optional[str] = None


_LEVEL = re.compile(r"<partial: (\d{1,9}) width: (\d{1,9})> \| (\d{3}) \| ", re.ASCII)
# An unterminated string matches up to the end, so that no part of the text is searched twice.
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)('|\\?\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def _response_error(path: str, status: int, envelope: Any, kinds: _ErrorKinds = ()) -> SvcError:
    message = _member(envelope, "message")
    if status == 200 and _member(envelope, "status") != "ERROR":
        message = "response is not an svc envelope"
    levels, innermost = _parse_chain(message if isinstance(message, str) else "")
    if not levels:
        return _message_error(path, status, message, envelope, kinds)
    cause = _message_error(path, levels[-1].status, innermost, None, kinds)
    error = SvcError(
        "backend",
        str(cause),
        status=status,
        details=cause.details,
        exception=cause.exception,
        traceback=cause.traceback,
        chain=levels,
        envelope=envelope,
    )
    error.__cause__ = cause
    return error


def _message_error(
    path: str, status: int, message: Any, envelope: Any, kinds: _ErrorKinds
) -> SvcError:
    """Returns the error for the member `message` of an envelope."""
    kind: str = "http"
    detail = message
    # `svc` reports rejected parameters, with a status 4xx, and invalid results.
    svc: ErrorKind = "parameter" if 400 <= status < 500 else "result"
    members: Dict[str, ErrorKind] = {"svc": svc, "plugin": "plugin", "system": "system"}
    for key, name in members.items():
        if _member(message, key) is not None:
            kind, detail = name, _member(message, key)
            break
    texts = [text for text in (detail, _member(detail, "value")) if _is_text(text)]
    exception = _member(detail, "exception")
    lines = _list(detail, "traceback")
    thrown = _class_name(exception) if _is_text(exception) else None
    error_class = SvcError
    for documented, statuses, documented_class in kinds:
        if kind == "plugin" and thrown == documented and status in statuses:
            kind, error_class = documented, documented_class
            break
    return error_class(
        kind,
        f"{path}: {texts[0] if texts else f'HTTP status {status}'}",
        status=status,
        details=_member(detail, "details"),
        exception=thrown,
        traceback=None if lines is None else tuple(filter(_is_text, lines)),
        envelope=envelope,
    )


def _parse_chain(text: str) -> Tuple[Tuple[BackEndLevel, ...], Any]:
    """Splits the text of a back-end error into its levels and the innermost error
    (http-interface, "Error body")."""
    levels: List[BackEndLevel] = []
    end = 0
    found = _LEVEL.match(text)
    while found is not None:
        levels.append(BackEndLevel(int(found[1]), int(found[2]), int(found[3])))
        end = found.end()
        found = _LEVEL.match(text, end)
    rest = text[end:]
    if not rest.startswith("{'"):
        return tuple(levels), rest
    # Dispatchers write objects with strings in single quotes.
    content = _decoded(_QUOTED.sub(_requoted, rest))
    return tuple(levels), rest if isinstance(content, str) else content


def _requoted(found: Match[str]) -> str:
    if found[2] != "'":
        return found[0]
    return json.dumps(_ESCAPED.sub(lambda char: "\n" if char[1] == "n" else char[1], found[1]))


def _plugin_response(value: Any) -> Optional[PluginResponse[Any, Any]]:
    """Returns None if the value is no PluginResponse."""
    entries, aggregator = _list(value, "entries"), _list(value, "aggregator")
    if entries is None or aggregator is None or not all(_is_pair(entry) for entry in entries):
        return None
    return PluginResponse(
        level=_member(value, "level"),
        levelparts=_member(value, "levelparts"),
        partials=_member(value, "partials"),
        hitcount=_member(value, "hitcount"),
        # JSON has no tuples.
        aggregator=cast(Tuple[int, int, float, float], tuple(aggregator)),
        meta=_member(value, "meta"),
        entries=[(entry[0], entry[1]) for entry in entries],
        message=_member(value, "message"),
    )


def _is_pair(entry: Any) -> bool:
    return _is_list(entry) and len(entry) == 2


def _envelope(value: Any, response: _T) -> Envelope[_T]:
    port, partitions = _list(value, "port"), _list(value, "partitions")
    return Envelope(
        status="OK",
        response=response,
        level=_member(value, "level"),
        partitions=cast(Tuple[int, int, int], tuple(partitions)) if partitions else None,
        exec_ms=_member(value, "exec_ms"),
        port=cast(Tuple[int, int], tuple(port)) if port else None,
        exec_id=_member(value, "exec_id"),
        explain=_member(value, "explain"),
        coverage=_member(value, "coverage"),
    )


def _is_envelope(value: Any) -> bool:
    names = ("response", "level", "partitions", "exec_ms")
    return _member(value, "status") == "OK" and all(name in value for name in names)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _class_name(text: str) -> str:
    """Returns the name in a text such as `<class 'NotFound'>`."""
    found = re.fullmatch(r"<class '(.*)'>", text)
    return found[1] if found else text


def _member(value: Any, name: str) -> Any:
    return cast(Dict[str, Any], value).get(name) if isinstance(value, dict) else None


def _list(value: Any, name: str) -> Optional[List[Any]]:
    member = _member(value, name)
    return member if _is_list(member) else None


def _decoded(text: str) -> Any:
    """Returns the value of JSON text; any other text unchanged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

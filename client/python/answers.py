# Outcomes of calls in all generated Python clients: responses, and the one error class. Server
# output is untrusted and validated. Names that a service may use too begin with `_`. Parts of the
# runtime are joined into one file: see scripts/python-runtime.mjs.

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
    """A dispatcher that an error has passed: the partition that failed, and how it answered."""

    partition: int
    width: int
    status: int


class SvcError(Exception):
    """A call that failed.

    kind: `parameter`: the server rejected the parameters; `plugin`: the plugin raised; `result`:
        the plugin returned an invalid result; `system`: the server failed; `backend`: the error
        occurred below a dispatcher, see `__cause__`; `http`: another error status, or an invalid
        response; `network`: no complete response; `timeout`: not in time.
        An error that the plugin documents has its own name as kind, and a class of that name.
    status: of the HTTP answer, None when none came.
    details: what the plugin tells programs of it, None where it does not.
    exception, traceback: of the exception on the server, of a back-end error the innermost.
    chain: of a back-end error the dispatchers that it passed, the outermost first.
    envelope: the decoded answer, its text where that is no JSON, None when none came.
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
        # An exception is copied by its arguments, and ours have names.
        return type(self), (self.kind, str(self)), self.__dict__


_ErrorKinds = Tuple[Tuple[str, Tuple[int, ...], Type[SvcError]], ...]
"""Errors that have classes of their own: their names and statuses."""


@dataclasses.dataclass(frozen=True)
class Envelope(Generic[_T]):
    """The whole answer to a call (http-interface, "Response envelope")."""

    status: str
    response: _T
    level: int
    partitions: Optional[Tuple[int, int, int]]
    exec_ms: float
    port: Optional[Tuple[int, int]] = None
    exec_id: Optional[int] = None
    explain: Any = None


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


_LEVEL = re.compile(r"<partial: (\d{1,9}) width: (\d{1,9})> \| (\d{3}) \| ", re.ASCII)
# A string without an end takes all the rest, so that none of it is searched a second time.
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)('|\\?\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def _answer_error(path: str, status: int, envelope: Any, kinds: _ErrorKinds = ()) -> SvcError:
    message = _member(envelope, "message")
    if status == 200 and _member(envelope, "status") != "ERROR":
        message = "response is not an svc envelope"
    levels, innermost = _parse_chain(message if isinstance(message, str) else "")
    if not levels:
        return _said_error(path, status, message, envelope, kinds)
    cause = _said_error(path, levels[-1].status, innermost, None, kinds)
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


def _said_error(
    path: str, status: int, said: Any, envelope: Any, kinds: _ErrorKinds
) -> SvcError:
    kind: str = "http"
    detail = said
    # `svc` has two sources: only rejected parameters have a status of a client's fault.
    svc: ErrorKind = "parameter" if 400 <= status < 500 else "result"
    members: Dict[str, ErrorKind] = {"svc": svc, "plugin": "plugin", "system": "system"}
    for key, name in members.items():
        if _member(said, key) is not None:
            kind, detail = name, _member(said, key)
            break
    texts = [text for text in (detail, _member(detail, "value")) if _is_text(text)]
    exception = _member(detail, "exception")
    lines = _list(detail, "traceback")
    thrown = _class_name(exception) if _is_text(exception) else None
    made = SvcError
    for own, statuses, error in kinds:
        if kind == "plugin" and thrown == own and status in statuses:
            kind, made = own, error
            break
    return made(
        kind,
        f"{path}: {texts[0] if texts else f'HTTP status {status}'}",
        status=status,
        details=_member(detail, "details"),
        exception=thrown,
        traceback=None if lines is None else tuple(filter(_is_text, lines)),
        envelope=envelope,
    )


def _parse_chain(text: str) -> Tuple[Tuple[BackEndLevel, ...], Any]:
    """Takes the text of an error below a dispatcher apart (http-interface, "Error body")."""
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
    """None for anything else."""
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
    )


def _is_envelope(value: Any) -> bool:
    names = ("response", "level", "partitions", "exec_ms")
    return _member(value, "status") == "OK" and all(name in value for name in names)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _class_name(text: str) -> str:
    """Servers write `<class 'NotFound'>`."""
    found = re.fullmatch(r"<class '(.*)'>", text)
    return found[1] if found else text


def _member(value: Any, name: str) -> Any:
    return cast(Dict[str, Any], value).get(name) if isinstance(value, dict) else None


def _list(value: Any, name: str) -> Optional[List[Any]]:
    member = _member(value, name)
    return member if _is_list(member) else None


def _decoded(text: str) -> Any:
    """Text that is no JSON stays what it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

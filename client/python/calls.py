# Calls of operations in all generated Python clients. A request is sent again only if the server
# cannot have executed it, or if executing it twice does no harm.

from __future__ import annotations

import copy
import dataclasses
import itertools
import random
import re
import socket
import threading
import warnings
from http.client import HTTPResponse
from typing import Any, Callable, Dict, Generator, Mapping, Optional, Tuple, TypeVar, cast

from .answers import Envelope, SvcError, _response_error, _decoded, _envelope, _member
from .answers import _is_envelope, _plugin_response, _T
from .http_response import HttpResponse, _interrupted, _media_type
from .requests import LEFT_OUT, _Operation, _Options, _own_fields, _own_key, _own_partial, _Request
from .requests import _request_of, _SourceError
from .server import _Deadline, _Fault, _Server
from .tokens import Token, _TokenSource
from .typed_values import _from_json

_C = TypeVar("_C", bound="_ClientBase")

_MAX_TOKENS = 10.0
_SUCCESS_TOKENS = 0.1
_TIMEOUT = 30.0
_RETRIES = 2
_FIRST_WAIT = 0.1
_MAX_WAIT = 2.0
_POSITION = re.compile(rb"[!-~]{1,4096}")


class _RetryBudget:
    """Limits the load that retries add: after the first few, one retry per ten successful calls."""

    def __init__(self) -> None:
        self._tokens = _MAX_TOKENS
        self._lock = threading.Lock()

    def take(self) -> bool:
        with self._lock:
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._tokens = min(_MAX_TOKENS, self._tokens + _SUCCESS_TOKENS)


class _Connection:
    """The state that a client shares with all clients derived from it by `with_options`."""

    def __init__(self, base_url: str, argspec: str, warn: Optional[Callable[[str], None]]) -> None:
        self.server = _Server(base_url)
        # Hash of the argspec that the client was generated from.
        self._argspec = argspec
        self._warn = warn
        self._budget = _RetryBudget()
        # True once a server has sent the hash of its argspec.
        self._is_compared = False
        self._lock = threading.Lock()

    def send(self, operation: _Operation[Any], params: Mapping[str, Any], options: _Options) -> Any:
        """Returns the decoded body of a successful response, or its text. Raises SvcError."""
        request = _request_of(operation, params, options, self.server.prefix)
        deadline = _Deadline(options.timeout)
        # True if executing the request twice does no harm.
        is_safe = operation.is_readonly or operation.is_once or options.idempotent
        failure: Optional[SvcError] = None
        for retry in itertools.count():
            try:
                return self._authorized(operation, request, deadline, options.tokens)
            except _SourceError as error:
                raise cast(Exception, error.__cause__)
            except _Fault as fault:
                failure = _fault_error(operation.path, fault, deadline, failure)
                may_repeat = failure.kind == "network" and (is_safe or not fault.is_sent)
            except SvcError as refusal:
                failure = refusal
                may_repeat = _may_repeat(refusal, is_safe)
            may_repeat = may_repeat and retry < options.retries and request.can_restart()
            if not may_repeat or not self._budget.take():
                raise failure
            deadline.sleep(_wait_before(retry))

    def resume(
        self,
        operation: _Operation[Any],
        params: Mapping[str, Any],
        options: _Options,
        position: str,
    ) -> Any:
        """Returns the stream from a position on. Retries until the timeout, because a server takes
        a while to restart. Raises SvcError."""
        headers = {**options.headers, "last-event-id": position}
        deadline = _Deadline(options.timeout)
        for retry in itertools.count():
            deadline.sleep(_wait_before(retry))
            left = deadline.left()
            again = dataclasses.replace(options, headers=headers, retries=0, timeout=left)
            try:
                return self.send(operation, params, again).stream
            except SvcError as error:
                is_final = error.kind != "network" and error.status not in (429, 503)
                if is_final or deadline.is_over():
                    raise

    def _authorized(
        self,
        operation: _Operation[Any],
        request: _Request,
        deadline: _Deadline,
        tokens: Optional[_TokenSource],
    ) -> Any:
        """Sends a request with the token, and again with another one if the server rejects it."""
        if tokens is None or "authorization" in request.fields:
            return self._attempt(operation, request, deadline)
        token = tokens.get()
        try:
            return self._attempt(operation, request.with_token(token), deadline)
        except SvcError as refusal:
            # An error of a plugin has another kind: the plugin was executed.
            is_refusal = refusal.kind == "http" and refusal.status == 401
            if not (is_refusal and tokens.is_renewable() and request.can_restart()):
                raise
        return self._attempt(operation, request.with_token(tokens.get(token)), deadline)

    def _attempt(self, operation: _Operation[Any], request: _Request, deadline: _Deadline) -> Any:
        fields = {"host": self.server.host_field}
        if not self._is_compared:
            fields["x-svc-argspec"] = self._argspec
        data = request.data(fields)
        is_streamed = _is_event_stream if operation.is_stream else _is_no_error
        if operation.is_stream or operation.http:
            answer = self.server.begin(request.method, data, deadline, is_streamed)
        else:
            answer = self.server.exchange(request.method, data, deadline)
        self._compare(answer.argspec)
        if answer.stream is not None:
            self._budget.succeeded()
            return answer
        is_text = operation.is_text and answer.status == 200
        content = answer.text if is_text else _decoded(answer.text)
        is_success = is_text or (_member(content, "status") == "OK" and not operation.is_stream)
        if answer.status != 200 or not is_success:
            raise _response_error(operation.path, answer.status, content, operation.errors)
        self._budget.succeeded()
        return content

    def _compare(self, served: Optional[str]) -> None:
        with self._lock:
            if served is None or self._is_compared:
                return
            self._is_compared = True
        if served != self._argspec:
            hashes = f"{self._argspec[:8]}, now {served[:8]}"
            message = f"The service contract changed ({hashes}): regenerate this client."
            if self._warn is None:
                # The line that calls the client's method.
                warnings.warn(message, stacklevel=7)
            else:
                self._warn(message)


def _may_repeat(refusal: SvcError, is_safe: bool) -> bool:
    # A server that responds with these statuses has executed nothing.
    if refusal.status in (421, 429, 503):
        return True
    # An earlier attempt, with the same idempotency key, is still running.
    return refusal.status == 409 and is_safe and "SVC3405" in str(refusal)


def _wait_before(retry: int) -> float:
    """Returns a random delay below a limit that doubles with each retry, so that clients that
    failed together do not retry together."""
    return random.uniform(0, min(_MAX_WAIT, _FIRST_WAIT * 2 ** min(retry, 10)))


def _split_position(event: bytes, position: str) -> Tuple[str, bytes]:
    """Returns the position after an event, and the event without its `id` line."""
    if not event.startswith(b"id: "):
        return position, event
    line, _, rest = event.partition(b"\n")
    # The position is sent in a header field.
    found = _POSITION.fullmatch(line[4:])
    return (found[0].decode("ascii") if found else ""), rest


def _is_event_stream(response: HTTPResponse) -> bool:
    return response.status == 200 and _media_type(response.headers) == "text/event-stream"


def _is_no_error(response: HTTPResponse) -> bool:
    return 200 <= response.status < 400


def _fault_error(
    path: str, fault: _Fault, deadline: _Deadline, former: Optional[SvcError]
) -> SvcError:
    cause = fault.__cause__
    # Each of several addresses gets a share of the time, which can be used up before the last one.
    if deadline.is_over() or (fault.is_sent and isinstance(cause, socket.timeout)):
        error = SvcError("timeout", f"{path}: no response within {deadline.seconds} s")
        error.__cause__ = former or cause
    else:
        error = SvcError("network", f"{path}: {str(cause) or type(cause).__name__}")
        error.__cause__ = cause
    return error


def _stream_error(operation: _Operation[Any], event: str) -> SvcError:
    """The event contains the class of the exception that the plugin raised."""
    exception = str(_decoded(event.partition("\ndata: ")[2]))
    failure = {"exception": exception, "value": f"stream failed: {exception}"}
    envelope = {"status": "ERROR", "message": {"plugin": failure}}
    return _response_error(operation.path, 200, envelope, operation.errors)


def _typed(operation: _Operation[Any], value: Any) -> Any:
    """Returns a result with its dates, sets and other class instances. Raises SvcError."""
    if operation.result is None:
        return value
    try:
        return _from_json(value, operation.result, operation.plans)
    except (TypeError, ValueError) as cause:
        raise SvcError("http", f"{operation.path}: {cause}", status=200) from cause


class _Caller:
    """A group of operations of one service."""

    def __init__(self, connection: _Connection, options: _Options) -> None:
        self._connection = connection
        self._options = options

    def _call(self, operation: _Operation[_T], params: Mapping[str, Any]) -> _T:
        content = self._connection.send(operation, params, self._options)
        return self._response(operation, content)

    def _stream(
        self, operation: _Operation[_T], params: Mapping[str, Any]
    ) -> Generator[_T, None, None]:
        """Yields items as the server sends them; closing the generator stops the plugin. A stream
        with positions continues after its connection is lost."""
        options = self._options
        position = ""
        stream = self._connection.send(operation, params, options).stream
        while True:
            try:
                for event in stream.events(options.timeout):
                    position, event = _split_position(event, position)
                    if event.startswith(b"data: "):
                        item = _decoded(event[6:].decode("utf-8", "replace"))
                        yield cast(_T, _typed(operation, item))
                    elif event.startswith(b"event: error"):
                        raise _stream_error(operation, event.decode("utf-8", "replace"))
                return
            except _Fault as fault:
                error = _interrupted(f"{operation.path}: stream", 200, fault)
                if not position or options.retries == 0 or error.kind != "network":
                    raise error from fault.__cause__
            finally:
                stream.close()
            stream = self._connection.resume(operation, params, options, position)

    def _all_items(
        self, operation: _Operation[Any], params: Mapping[str, Any]
    ) -> Generator[Any, None, None]:
        """Yields the items of all pages. Timeout and retries apply to each page separately."""
        page_params = dict(params)
        while True:
            page = self._call(operation, page_params)
            yield from _member(page, "items")
            cursor = _member(page, "cursor")
            if cursor is None:
                return
            page_params["cursor"] = cursor

    def _call_http(self, operation: _Operation[_T], params: Mapping[str, Any]) -> _T:
        """Returns a response without an envelope, or the value of an envelope."""
        answer = self._connection.send(operation, params, self._options)
        response = HttpResponse[str](answer.status, answer.stream, operation.path, self._options)
        is_json = response.status == 200 and response.type == "application/json"
        if operation.http == "mixed" and is_json:
            data = response.read()
            content = _decoded(data.decode("utf-8", "replace"))
            if _is_envelope(content):
                return cast(_T, _typed(operation, _member(content, "response")))
            response = response._with_data(data)
        return cast(_T, response)

    def _call_raw(self, operation: _Operation[_T], params: Mapping[str, Any]) -> Envelope[_T]:
        content = self._connection.send(operation, params, self._options)
        return _envelope(content, self._response(operation, content))

    def _response(self, operation: _Operation[_T], content: Any) -> _T:
        if operation.is_text:
            return cast(_T, content)
        response = _typed(operation, _member(content, "response"))
        if operation.is_response:
            response = _plugin_response(response)
            if response is None:
                message = f"{operation.path}: response contains no PluginResponse"
                raise SvcError("http", message, status=200, envelope=content)
        return cast(_T, response)


class _ClientBase(_Caller):
    # Hash of the argspec that the client was generated from.
    _argspec = ""

    def __init__(
        self,
        base_url: str,
        *,
        timeout: Optional[float] = _TIMEOUT,
        retries: int = _RETRIES,
        headers: Optional[Mapping[str, str]] = None,
        token: Optional[Token] = None,
        warn: Optional[Callable[[str], None]] = None,
    ) -> None:
        """
        Args:
            base_url: URL of the service, such as `http://127.0.0.1:9000`.
            timeout: time limit of a call in seconds, including retries; None or 0: no limit.
            retries: maximum number of retries of a request.
            headers: header fields of all requests.
            token: bearer token, or a function that fetches one. If the server rejects a token,
                the function receives it and returns another one, and the call is repeated once.
            warn: called once if the contract of the service has changed; default: `warnings.warn`.

        Raises:
            ValueError: `base_url` or a header field is invalid.
        """
        connection = _Connection(base_url, self._argspec, warn)
        tokens = None if token is None else _TokenSource(token)
        options = _Options(timeout, retries, _own_fields(headers), tokens=tokens)
        super().__init__(connection, options)

    def with_options(
        self: _C,
        *,
        partial: Optional[int] = LEFT_OUT,
        key: Optional[str] = LEFT_OUT,
        timeout: Optional[float] = LEFT_OUT,
        retries: int = LEFT_OUT,
        headers: Mapping[str, str] = LEFT_OUT,
        token: Optional[Token] = LEFT_OUT,
        idempotent: bool = LEFT_OUT,
    ) -> _C:
        """Returns a client with other options that shares connections and the retry budget.

        Args:
            partial: number of the only partition that receives requests, by its primary replica.
            key: in a system with slots, only the partition that owns this key receives requests.
            timeout: time limit of a call in seconds, including retries; None or 0: no limit.
            retries: maximum number of retries of a request.
            headers: header fields, added to those of this client.
            token: bearer token, or a function that fetches one.
            idempotent: allow retries of requests that the server may have executed.

        Raises:
            ValueError: `partial`, `key` or a header field is invalid.
        """
        options: Dict[str, Any] = {
            "partial": LEFT_OUT if partial is LEFT_OUT else _own_partial(partial),
            "key": LEFT_OUT if key is LEFT_OUT else _own_key(key),
            "timeout": timeout,
            "retries": retries,
            "idempotent": idempotent,
        }
        changes = {name: value for name, value in options.items() if value is not LEFT_OUT}
        if headers is not LEFT_OUT:
            changes["headers"] = {**self._options.headers, **_own_fields(headers)}
        if token is not LEFT_OUT:
            changes["tokens"] = None if token is None else _TokenSource(token)
        client = copy.copy(self)
        client._options = dataclasses.replace(self._options, **changes)
        return client

    def close(self) -> None:
        """Closes connections that no call uses; a later call opens a new one."""
        self._connection.server.close()

    def __enter__(self: _C) -> _C:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

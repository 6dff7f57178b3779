# The bearer token of a generated Python client: a string, or the result of a function. All calls
# share it until the server rejects it. Calls that are rejected together fetch one new token.

from __future__ import annotations

import re
import threading
from typing import Callable, Optional, Union

Token = Union[str, Callable[[Optional[str]], str]]
"""A token, or a function that fetches one. Its argument is the rejected token, or None."""


class _TokenSource:
    def __init__(self, token: Token) -> None:
        self._token = token
        self._lock = threading.Lock()
        self._known: Optional[str] = None

    def is_renewable(self) -> bool:
        return callable(self._token)

    def get(self, rejected: Optional[str] = None) -> str:
        """Returns the current token, or fetches another one if it is the rejected one. Raises the
        exceptions of the function."""
        with self._lock:
            if self._known is None or self._known == rejected:
                self._known = None
                token = self._token(rejected) if callable(self._token) else self._token
                # The message must not contain the token.
                if not isinstance(token, str) or not re.fullmatch(r"[!-~]+", token):
                    raise ValueError("token: expected visible ASCII characters")
                self._known = token
            return self._known

# The bearer token of a client in all generated Python clients: a text, or what a function returns.
# All calls share it until the server rejects it; calls that are rejected together fetch one.

from __future__ import annotations

import re
import threading
from typing import Callable, Optional, Union

Token = Union[str, Callable[[Optional[str]], str]]
"""A token, or a function that fetches one; it gets the token that the server rejected, or None."""


class _TokenSource:
    def __init__(self, token: Token) -> None:
        self._token = token
        self._lock = threading.Lock()
        self._known: Optional[str] = None

    def is_renewable(self) -> bool:
        return callable(self._token)

    def get(self, rejected: Optional[str] = None) -> str:
        """The token, or another one for a rejected one. Raises what the function raises."""
        with self._lock:
            if self._known is None or self._known == rejected:
                self._known = None
                token = self._token(rejected) if callable(self._token) else self._token
                # The message must not contain the token.
                if not isinstance(token, str) or not re.fullmatch(r"[!-~]+", token):
                    raise ValueError("token: expected visible ASCII characters")
                self._known = token
            return self._known

# ---- Generated from here on ----


class _CityRequired(TypedDict):
    name: str


class City(_CityRequired, total=False):
    """A place."""

    near: List[City]
    """by rail"""


Point = Union[Tuple[float, float], Tuple[float, float, str]]


Json = Union[str, List["Json"], Dict[str, "Json"]]


_OddRequired = TypedDict(
    "_OddRequired",
    {
        "odd key": "City",
    },
)


_OddOptional = TypedDict(
    "_OddOptional",
    {
        "class": "int",
        "plain": "str",
    },
    total=False,
)


class Odd(_OddRequired, _OddOptional):
    pass


Only = Union["City"]


class PlacesResultItem(TypedDict):
    at: Point


_operation_buy: _Operation[Optional[City]] = _Operation("/svc/plugin/buy", content="json")
_operation_places: _Operation[List[PlacesResultItem]] = _Operation("/svc/plugin/places")
_operation_search: _Operation[PluginResponse[str, City]] = _Operation(
    "/svc/plugin/search",
    json=("at",),
    is_readonly=True,
    is_response=True,
)


class Client(_ClientBase):
    """Calls shop. Safe to share between threads; `close` it, or use it in `with`."""

    _argspec = "abababababababababababababababababababababababababababababababab"

    @property
    def builtin(self) -> Builtin:
        """Built-in plugins."""
        return Builtin(self._connection, self._options)

    @property
    def services(self) -> Services:
        """Status services."""
        return Services(self._connection, self._options)

    def buy(
        self,
        *,
        item: str,
        count: int = LEFT_OUT,
        content: City = LEFT_OUT,
    ) -> Optional[City]:
        """Buys an item.
        At once.

        Args:
            item: what
                is bought
            count: how many. Default: 1.

        Raises:
            SvcError: `exception` may be
                SoldOut: when there is none

        Example:
            client.buy(item="book", count=2)
        """
        return self._call(_operation_buy, {"item": item, "count": count, "content": content})

    def buy_raw(
        self,
        *,
        item: str,
        count: int = LEFT_OUT,
        content: City = LEFT_OUT,
    ) -> Envelope[Optional[City]]:
        """The same as `buy` with the whole envelope."""
        return self._call_raw(_operation_buy, {"item": item, "count": count, "content": content})

    def places(
        self,
        *,
        class_: Optional[Union[Literal["a", 1, True], float]],
    ) -> List[PlacesResultItem]:
        return self._call(_operation_places, {"class": class_})

    def places_raw(
        self,
        *,
        class_: Optional[Union[Literal["a", 1, True], float]],
    ) -> Envelope[List[PlacesResultItem]]:
        """The same as `places` with the whole envelope."""
        return self._call_raw(_operation_places, {"class": class_})

    def search(
        self,
        *,
        q: Union[bytes, str],
        at: Any = LEFT_OUT,
        **others: Any,
    ) -> PluginResponse[str, City]:
        """Finds cities.

        Deprecated. Use `find`.

        Returns:
            the nearest first
        """
        return self._call(_operation_search, {"q": q, "at": at, **others})

    def search_raw(
        self,
        *,
        q: Union[bytes, str],
        at: Any = LEFT_OUT,
        **others: Any,
    ) -> Envelope[PluginResponse[str, City]]:
        """The same as `search` with the whole envelope."""
        return self._call_raw(_operation_search, {"q": q, "at": at, **others})


class AlgorithmReportCounts(TypedDict):
    cancelled: float
    completed: float
    failed: float


class AlgorithmReport(TypedDict):
    """Algorithms over whole graphs: running ones, and counts by outcome."""

    running: List[RunningAlgorithm]
    """By start."""
    counts: AlgorithmReportCounts
    restarts: float
    """Deaths of the thread that runs them."""


class ArcRemoved(TypedDict):
    """Arcs between two vertices were removed."""

    position: str
    """Position from which a feed continues after this change; opaque."""
    at: float
    """Seconds since 1970."""
    kind: Literal["arcRemoved"]
    initial: str
    relationship: Optional[str]
    """Null: of any relationship."""
    modifier: Optional[str]
    """Null: of any modifier."""
    terminal: str


class ArcSet(TypedDict):
    """An arc was created, or its value changed."""

    position: str
    """Position from which a feed continues after this change; opaque."""
    at: float
    """Seconds since 1970."""
    kind: Literal["arcSet"]
    initial: str
    relationship: str
    modifier: str
    """Name of the modifier, such as `M_INT`."""
    value: float
    terminal: str


GraphChange = Union["ArcRemoved", "ArcSet", "PropertyRemoved", "PropertySet", "Truncated", "TypeSet", "VectorRemoved", "VectorSet", "VertexCreated", "VertexDeleted"]


class IssuedToken(TypedDict):
    authtoken: str
    t0: float
    """Seconds since 1970."""
    tx: float


JobOutcome = Literal["failed", "interrupted", "ok", "timeout"]


class JobRun(TypedDict):
    """A run that has ended."""

    scheduledMs: float
    """Milliseconds since 1970."""
    startedMs: float
    durationMs: float
    outcome: JobOutcome
    text: str
    """The result as JSON, or the error; shortened."""


class JobStatusCounts(TypedDict):
    """Runs by outcome, since the process started."""

    failed: float
    interrupted: float
    ok: float
    timeout: float


class JobStatus(TypedDict):
    """State of a job for operators."""

    name: str
    schedule: str
    catchup: bool
    next: Optional[float]
    """Time of the next run, seconds since 1970; null: none on this instance."""
    running: Optional[float]
    """Start of the current run, seconds since 1970; null: the job is not running."""
    counts: JobStatusCounts
    """Runs by outcome, since the process started."""
    missed: float
    """Runs that were missed, since the process started."""
    runs: List[JobRun]
    """Newest first."""



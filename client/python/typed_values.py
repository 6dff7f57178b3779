# Converts values without a JSON type in all generated Python clients: dates, integers of any
# length, bytes, sets and dictionaries. The plans of an operation describe where such values occur.

from __future__ import annotations

import base64
import datetime
import numbers
import re
from typing import Any, Dict, Mapping, Sequence

_Plan = Mapping[str, Any]
_Plans = Sequence[_Plan]

_DATE_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def _to_json(value: Any, plan: _Plan, plans: _Plans) -> Any:
    """Returns the JSON form of a value. Raises ValueError for a date without a time zone."""
    if "ref" in plan:
        return _to_json(value, plans[plan["ref"]], plans)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, numbers.Integral) and plan.get("text") == "bigint":
        return str(int(value))
    if isinstance(value, Mapping):
        if "list" in plan:
            return _to_json(list(value.items()), plan, plans)
        fields = _fields_for(value, plan.get("fields", {}))
        return {key: _planned(_to_json, item, fields(key), plans) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        item_plan = _items_for(plan.get("list", {}))
        return [_planned(_to_json, item, item_plan(at), plans) for at, item in enumerate(value)]
    return value


def _from_json(value: Any, plan: _Plan, plans: _Plans) -> Any:
    """Returns the value for a JSON form. Raises ValueError or TypeError for an invalid one."""
    if "ref" in plan:
        return _from_json(value, plans[plan["ref"]], plans)
    if isinstance(value, str):
        return _from_text(value, plan.get("text"))
    if isinstance(value, list) and "list" in plan:
        item_plan = _items_for(plan["list"])
        items = [_planned(_from_json, item, item_plan(at), plans) for at, item in enumerate(value)]
        to = plan["list"].get("to")
        return set(items) if to == "Set" else dict(items) if to == "Map" else items
    if isinstance(value, dict) and "fields" in plan:
        fields = plan["fields"]
        member_plan = _fields_for(value, fields)
        for key, item in value.items():
            value[key] = _planned(_from_json, item, member_plan(key), plans)
        return {_number(key): item for key, item in value.items()} if "numbers" in fields else value
    return value


def _planned(convert: Any, value: Any, plan: Any, plans: _Plans) -> Any:
    return value if plan is None else convert(value, plan, plans)


def _items_for(plan: _Plan) -> Any:
    first = plan.get("first", ())
    return lambda at: first[at] if at < len(first) else plan.get("items")


def _fields_for(value: Mapping[Any, Any], plan: _Plan) -> Any:
    """Returns the function that finds the plan of a member by its key. The value of a tag member
    can select one of several cases."""
    cases: Dict[str, _Plan] = plan.get("cases", {})
    word = value.get(plan.get("tag"))
    # JSON writes booleans in lower case.
    word = str(word).lower() if isinstance(word, bool) else str(word)
    chosen = cases.get(word, plan)
    known = chosen.get("known", {})
    return lambda key: known[key] if key in known else chosen.get("others")


def _from_text(value: str, form: Any) -> Any:
    if form == "Date":
        return _date(value)
    if form == "bigint":
        return int(value)
    if form == "Uint8Array":
        return base64.b64decode(value, validate=True)
    return value


def _date(text: str) -> datetime.datetime:
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"not a date and time: {text[:60]!r}")
    day, time, fraction, zone = found.groups()
    zone = "+00:00" if zone in "Zz" else zone
    micros = (fraction or "").ljust(6, "0")[:6]
    return datetime.datetime.fromisoformat(f"{day}T{time}.{micros}{zone}")


def _number(text: str) -> float:
    return int(text) if re.fullmatch(r"-?\d{1,300}", text, re.ASCII) else float(text)

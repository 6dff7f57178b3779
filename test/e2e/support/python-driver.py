# Makes a call for each JSON line, and writes its outcome as one. Options of a client and a call are
# members; values without a JSON form are {"bytes": "<base64>"}, {"memory": "<base64>"},
# {"infinite": true}, {"tokens": ["<text>", ...]}, {"file": "<base64>"}, {"parts": ["<text>", ...]}, {"failing": "<text>"}
# and {"enum": true}.

import base64
import dataclasses
import enum
import io
import json
import random
import socket
import sys
import threading

import client

# Retries wait for a random part of a second: 0 here.
random.uniform = lambda least, most: 0
clients = {}


def value_of(value):
    if isinstance(value, dict) and list(value) == ["bytes"]:
        return base64.b64decode(value["bytes"])
    if isinstance(value, dict) and list(value) == ["memory"]:
        return memoryview(base64.b64decode(value["memory"]))
    if isinstance(value, dict) and list(value) == ["infinite"]:
        return float("inf")
    if isinstance(value, dict) and list(value) == ["file"]:
        return io.BytesIO(base64.b64decode(value["file"]))
    if isinstance(value, dict) and list(value) == ["parts"]:
        return (part.encode() for part in value["parts"])
    if isinstance(value, dict) and list(value) == ["failing"]:
        return failing(value["failing"])
    if isinstance(value, dict) and list(value) == ["tokens"]:
        left = list(value["tokens"])
        return lambda rejected: f"{left.pop(0)}-{rejected}"
    if isinstance(value, dict) and list(value) == ["enum"]:
        return Color.RED
    return value


class Color(str, enum.Enum):
    RED = "red"


def failing(first):
    yield first.encode()
    raise ValueError("the source failed")


def client_of(order):
    key = json.dumps(order.get("client", {}))
    if key not in clients:
        warnings = []
        options = {name: value_of(value) for name, value in order.get("client", {}).items()}
        made = client.Client(order["url"], warn=warnings.append, **options)
        clients[key] = made, warnings
    made, warnings = clients[key]
    if "with" not in order:
        return made, warnings
    options = {name: value_of(value) for name, value in order["with"].items()}
    return made.with_options(**options), warnings


def run(order):
    if order["do"] == "refuse":
        return refuse(order["times"])
    if order["do"] == "threads":
        return call_from_threads(order)
    if order["do"] == "forget":
        for made, _ in clients.values():
            made.close()
        clients.clear()
        return {}
    warnings = []
    reply = outcome(lambda: call(order, warnings))
    reply["warnings"] = warnings
    return reply


def call(order, warnings):
    made, told = client_of(order)
    for name in order["do"].split("."):
        made = getattr(made, name)
    params = {name: value_of(value) for name, value in order.get("params", {}).items()}
    try:
        return made(**params)
    finally:
        warnings.extend(told)


def outcome(work):
    try:
        result = work()
    except client.SvcError as error:
        return {"error": described(error)}
    except (ValueError, TypeError) as error:
        return {"raised": type(error).__name__}
    return {"result": dataclasses.asdict(result) if dataclasses.is_dataclass(result) else result}


def described(error):
    cause = error.__cause__
    members = {**vars(error), "chain": [dataclasses.asdict(level) for level in error.chain]}
    is_ours = isinstance(cause, client.SvcError)
    members["cause"] = described(cause) if is_ours else type(cause).__name__
    return {**members, "message": str(error)}


def refuse(times):
    """Refuses the next connections."""
    connect = socket.socket.connect
    left = [times]

    def refusing(self, address):
        if left[0] == 0:
            return connect(self, address)
        left[0] -= 1
        raise ConnectionRefusedError("refused as told")

    socket.socket.connect = refusing
    return {}


def call_from_threads(order):
    """Calls from threads, each with its own numbers; returns how many got a wrong response."""
    made, _ = client_of(order)
    wrong = []

    def work(thread):
        for number in range(order["calls"]):
            mine = f"{thread}-{number}"
            if made.get(q=mine) != mine:
                wrong.append(mine)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(order["threads"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"result": wrong}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)

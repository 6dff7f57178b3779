// Calls between threads: replies in any order, error codes, dead threads, and blocking callers.

import { once } from "node:events";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../../runtime/base/errors.js";
import { RpcClient, SyncRpcClient } from "../../../../runtime/base/wire/rpc-client.js";
import {
  executeCall,
  type RpcReply,
  type RpcRequest,
} from "../../../../runtime/base/wire/rpc-messages.js";
import {
  AccessError,
  InternalError,
  OperationTimeout,
  SERIALIZABLE_GRAPH_ERRORS,
} from "../../../../runtime/graph/model/errors.js";

const test = suite("rpc client");

/** A thread that records its calls and replies on request. */
class Other {
  readonly calls: RpcRequest<string>[] = [];
  postMessage(message: unknown): void {
    this.calls.push(message as RpcRequest<string>);
  }
}

async function catchRejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => assert.unreachable(),
    (error: Error) => error,
  ) as Promise<Error>;
}

test("rejects a call that cannot be sent, without waiting", async () => {
  const [channel, closedChannel] = [new MessageChannel(), new MessageChannel()];
  closedChannel.port1.close();
  await once(closedChannel.port2, "close");
  const client = new RpcClient<object>();
  const failure = await catchRejection(client.call(channel.port1, {}, [closedChannel.port2]));
  assert.match(failure.message, "detached");
  assert.is(client.hasPending, false);
  channel.port1.close();
});

test("matches replies to calls in any order and drops unmatched ones", async () => {
  const other = new Other();
  const client = new RpcClient<string>();
  const first = client.call<number>(other, "a");
  const second = client.call<number>(other, "b");
  client.send(other, "c");
  const [a, b, c] = other.calls.map(({ id }) => id) as [number, number, number];
  assert.is(client.settle({ id: c, value: 3 }), null);
  assert.is(client.settle({ id: b, value: 2 }), null);
  assert.is(client.hasPending, true);
  assert.is(client.settle({ id: a, value: 1 }), null);
  assert.is(client.settle({ id: a, value: 7 }), null);
  assert.equal([await first, await second, client.hasPending], [1, 2, false]);
});

test("preserves error codes, and returns errors of one-way calls", async () => {
  const other = new Other();
  const client = new RpcClient<string>();
  const pending = client.call(other, "a");
  client.send(other, "b");
  const returned: (Error | null)[] = [];
  function settle(reply: RpcReply): void {
    returned.push(client.settle(reply));
  }
  for (const call of other.calls) {
    const error = new SvcError("SVC2202", "port 1 is taken");
    await executeCall({ postMessage: (message) => settle(message as RpcReply) }, call, () => {
      throw error;
    });
  }
  const error = (await catchRejection(pending)) as SvcError;
  assert.equal([error.code, error.message], ["SVC2202", "port 1 is taken"]);
  assert.is(returned[0], null);
  assert.is((returned[1] as SvcError).code, "SVC2202");
  const unboundedCall = client.call(other, "c");
  const failure = { name: "TypeError", code: "", message: "x is not a function" };
  client.settle({ id: other.calls.at(-1)!.id, failure });
  assert.is((await catchRejection(unboundedCall)).message, "x is not a function");
});

test("repeats pending calls of a dead thread on the next one, up to a limit", async () => {
  const client = new RpcClient<string>();
  const [first, second, third] = [new Other(), new Other(), new Other()];
  const lost = client.call(first, "a");
  client.resendPending(second, 2, () => new Error("died"));
  const late = client.call<string>(second, "b");
  client.resendPending(third, 2, () => new Error("died"));
  assert.is((await catchRejection(lost)).message, "died");
  assert.equal(
    [second, third].map(({ calls }) => calls.map(({ command }) => command)),
    [["a", "b"], ["b"]],
  );
  client.settle({ id: third.calls[0]!.id, value: "b" });
  assert.is(await late, "b");
  const last = client.call(third, "c");
  client.rejectAll(new Error("ended"));
  assert.equal([(await catchRejection(last)).message, client.hasPending], ["ended", false]);
});

const RESPONDER = `
  const { workerData: { port, signal } } = require("node:worker_threads");
  port.on("message", ({ id, command }) => {
    const failure = { name: command, code: "", message: "as requested" };
    port.postMessage({ id: id - 1, value: "a reply to an earlier call" });
    port.postMessage(command === "echo" ? { id, value: command } : { id, failure });
    Atomics.add(signal, 0, 1);
    Atomics.notify(signal, 0);
  });`;

test("returns the reply to a blocking caller, or throws the error by its class", async () => {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: port2, signal };
  const worker = new Worker(RESPONDER, { eval: true, workerData, transferList: [port2] });
  const client = new SyncRpcClient<string>(port1, signal, SERIALIZABLE_GRAPH_ERRORS);
  try {
    const giveUpAt = performance.now() + 8000;
    assert.is(client.call("echo", giveUpAt), "echo");
    assert.throws(
      () => client.call("AccessError", giveUpAt),
      (e: unknown) => e instanceof AccessError,
    );
    assert.throws(
      () => client.call("constructor", giveUpAt),
      (e: unknown) => {
        return e instanceof InternalError && e.message === "constructor: as requested";
      },
    );
  } finally {
    await worker.terminate();
    port1.close();
  }
});

test("preserves class or code of graph errors", () => {
  const { revive } = SERIALIZABLE_GRAPH_ERRORS;
  assert.instance(revive({ name: "AccessError", code: "SVC2401", message: "" }), AccessError);
  const capacityError = revive({ name: "CapacityError", code: "SVC2402", message: "full" });
  assert.equal([capacityError.code, capacityError.message], ["SVC2402", "full"]);
  const internal = revive({ name: "TypeError", code: "", message: "no function" });
  assert.instance(internal, InternalError);
});

test("times out a blocking call", () => {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const client = new SyncRpcClient<string>(port1, signal, SERIALIZABLE_GRAPH_ERRORS);
  assert.throws(
    () => client.call("a", performance.now() + 5),
    (e: unknown) => {
      return e instanceof OperationTimeout;
    },
  );
  assert.is(receiveMessageOnPort(port2)?.message.command, "a");
  port1.close();
});

test.run();

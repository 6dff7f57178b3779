// Calls between threads: replies in any order, error codes, dead threads, and blocking callers.

import { once } from "node:events";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../../runtime/base/errors.js";
import { RpcClient, SyncRpcClient } from "../../../../runtime/base/wire/rpc-client.js";
import {
  answer,
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

/** A thread that records its calls and replies when told to. */
class Other {
  readonly asked: RpcRequest<string>[] = [];
  postMessage(message: unknown): void {
    this.asked.push(message as RpcRequest<string>);
  }
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => assert.unreachable(),
    (error: Error) => error,
  ) as Promise<Error>;
}

test("rejects a call that cannot be sent, without waiting", async () => {
  const [channel, gone] = [new MessageChannel(), new MessageChannel()];
  gone.port1.close();
  await once(gone.port2, "close");
  const asker = new RpcClient<object>();
  const failure = await failureOf(asker.ask(channel.port1, {}, [gone.port2]));
  assert.match(failure.message, "detached");
  assert.is(asker.isWaiting, false);
  channel.port1.close();
});

test("matches replies to calls in any order and drops unmatched ones", async () => {
  const other = new Other();
  const asker = new RpcClient<string>();
  const first = asker.ask<number>(other, "a");
  const second = asker.ask<number>(other, "b");
  asker.tell(other, "c");
  const [a, b, c] = other.asked.map(({ number }) => number) as [number, number, number];
  assert.is(asker.settle({ number: c, value: 3 }), null);
  assert.is(asker.settle({ number: b, value: 2 }), null);
  assert.is(asker.isWaiting, true);
  assert.is(asker.settle({ number: a, value: 1 }), null);
  assert.is(asker.settle({ number: a, value: 7 }), null);
  assert.equal([await first, await second, asker.isWaiting], [1, 2, false]);
});

test("preserves error codes, and returns errors of one-way calls", async () => {
  const other = new Other();
  const asker = new RpcClient<string>();
  const asked = asker.ask(other, "a");
  asker.tell(other, "b");
  const returned: (Error | null)[] = [];
  function settle(given: RpcReply): void {
    returned.push(asker.settle(given));
  }
  for (const ask of other.asked) {
    const error = new SvcError("SVC2202", "port 1 is taken");
    await answer({ postMessage: (given) => settle(given as RpcReply) }, ask, () => {
      throw error;
    });
  }
  const error = (await failureOf(asked)) as SvcError;
  assert.equal([error.code, error.message], ["SVC2202", "port 1 is taken"]);
  assert.is(returned[0], null);
  assert.is((returned[1] as SvcError).code, "SVC2202");
  const plain = asker.ask(other, "c");
  const failure = { name: "TypeError", code: "", message: "x is not a function" };
  asker.settle({ number: other.asked.at(-1)!.number, failure });
  assert.is((await failureOf(plain)).message, "x is not a function");
});

test("repeats unanswered calls of a dead thread on the next one, with a limit", async () => {
  const asker = new RpcClient<string>();
  const [first, second, third] = [new Other(), new Other(), new Other()];
  const lost = asker.ask(first, "a");
  asker.askAgain(second, 2, () => new Error("died"));
  const late = asker.ask<string>(second, "b");
  asker.askAgain(third, 2, () => new Error("died"));
  assert.is((await failureOf(lost)).message, "died");
  assert.equal(
    [second, third].map(({ asked }) => asked.map(({ ask }) => ask)),
    [["a", "b"], ["b"]],
  );
  asker.settle({ number: third.asked[0]!.number, value: "b" });
  assert.is(await late, "b");
  const last = asker.ask(third, "c");
  asker.rejectAll(new Error("ended"));
  assert.equal([(await failureOf(last)).message, asker.isWaiting], ["ended", false]);
});

const ANSWERS = `
  const { workerData: { port, signal } } = require("node:worker_threads");
  port.on("message", ({ number, ask }) => {
    const failure = { name: ask, code: "", message: "as asked" };
    port.postMessage({ number: number - 1, value: "too late for who had asked" });
    port.postMessage(ask === "echo" ? { number, value: ask } : { number, failure });
    Atomics.add(signal, 0, 1);
    Atomics.notify(signal, 0);
  });`;

test("returns the reply to a blocking caller, or throws the error by its class", async () => {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: port2, signal };
  const worker = new Worker(ANSWERS, { eval: true, workerData, transferList: [port2] });
  const asker = new SyncRpcClient<string>(port1, signal, SERIALIZABLE_GRAPH_ERRORS);
  try {
    const giveUpAt = performance.now() + 8000;
    assert.is(asker.ask("echo", giveUpAt), "echo");
    assert.throws(
      () => asker.ask("AccessError", giveUpAt),
      (e: unknown) => e instanceof AccessError,
    );
    assert.throws(
      () => asker.ask("constructor", giveUpAt),
      (e: unknown) => {
        return e instanceof InternalError && e.message === "constructor: as asked";
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
  const other = revive({ name: "CapacityError", code: "SVC2402", message: "full" });
  assert.equal([other.code, other.message], ["SVC2402", "full"]);
  const internal = revive({ name: "TypeError", code: "", message: "no function" });
  assert.instance(internal, InternalError);
});

test("times out a blocking call", () => {
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const asker = new SyncRpcClient<string>(port1, signal, SERIALIZABLE_GRAPH_ERRORS);
  assert.throws(
    () => asker.ask("a", performance.now() + 5),
    (e: unknown) => {
      return e instanceof OperationTimeout;
    },
  );
  assert.is(receiveMessageOnPort(port2)?.message.ask, "a");
  port1.close();
});

test.run();

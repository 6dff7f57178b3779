// A log in a stream of JetStream: created, found, appended to, read and checked.

import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import {
  isNotFound,
  JetStreamLog,
  natsPackages,
  requireDurableServers,
  type StreamAddress,
} from "../../../runtime/interconnect/stream/jetstream-log.js";
import type { ReceivedPart, StreamState } from "../../../runtime/interconnect/stream/log-stream.js";
import { describeFailure } from "./support/describe-failure.js";
import { MemoryJetStream } from "./support/memory-jetstream.js";
import { settle } from "./support/provided-stream.js";

const test = suite("log in a stream of JetStream");
const ADDRESS: StreamAddress = {
  ...{ servers: ["a:1", "b:2"], name: "LOG", replicas: 1, isDurable: false, monitors: [] },
  uri: "nats://a:1,b:2/LOG",
};
const STATE: StreamState = { log: "a".repeat(32), epoch: 3, protocol: 4, reached: null };
const PART = { part: 2, parts: 3, bytes: Buffer.from("text") };

function open(broker: MemoryJetStream, more: Partial<StreamAddress> = {}, isWriter = true) {
  return JetStreamLog.open({ ...ADDRESS, ...more }, isWriter, broker.packages);
}

test("connects once: the next connection reads the state of the stream again", async () => {
  const broker = new MemoryJetStream();
  const previousToken = process.env.SVC_NATS_TOKEN;
  delete process.env.SVC_NATS_TOKEN;
  try {
    await open(broker);
    const expected = { servers: ADDRESS.servers, name: "svc LOG", reconnect: false, timeout: 5000 };
    assert.equal(broker.connections[0], expected);
    process.env.SVC_NATS_TOKEN = "secret";
    await open(broker);
    assert.equal(broker.connections[1], { ...expected, token: "secret" });
  } finally {
    delete process.env.SVC_NATS_TOKEN;
    if (previousToken !== undefined) process.env.SVC_NATS_TOKEN = previousToken;
  }
});

test("only a writer creates the stream, if it is missing", async () => {
  const broker = new MemoryJetStream();
  await open(broker, {}, false);
  assert.is(broker.config, null);
  await open(broker, { replicas: 3 });
  assert.equal(broker.config, {
    ...{ name: "LOG", num_replicas: 3, subjects: ["svc.LOG.*"], storage: "file" },
    retention: "limits",
  });
  const { config } = broker;
  await open(broker, { replicas: 5 });
  assert.is(broker.config, config);
  broker.requested = () => {
    throw new Error("no quorum");
  };
  assert.is(await describeFailure(open(broker)), "undefined: no quorum");
  assert.equal([broker.connections.length, broker.closed], [4, 1]);
});

test("a writer that must be durable checks the replicas, then each server", async () => {
  const broker = new MemoryJetStream();
  broker.config = { num_replicas: 3 };
  const durable = { isDurable: true, replicas: 3, monitors: ["127.0.0.1:1"] };
  const few = { ...durable, replicas: 5 };
  assert.is(await describeFailure(open(broker, few)), "SVC3362: stream LOG has 3 replicas, not 5");
  await open(broker, { ...few, isDurable: false });
  await open(broker, few, false);
  await open(broker, durable);
  const monitors = ["127.0.0.1:1", "127.0.0.1:2"];
  const unreadable = /^SVC3362: durable: http:\/\/127\.0\.0\.1:1\/varz is not readable/;
  assert.match(await describeFailure(open(broker, { ...durable, monitors })), unreadable);
  assert.is(broker.closed, 2);
});

test("sends parts that the server accepts", async () => {
  const broker = new MemoryJetStream();
  for (const [maximum, expected] of [
    [2 ** 20, 2 ** 19],
    [2 ** 16, 2 ** 16 - 2 ** 12],
    [2 ** 12, 2 ** 12],
    [undefined, 2 ** 19],
  ] as const) {
    broker.maxPayload = maximum;
    assert.is((await open(broker)).maxPartBytes, expected);
  }
});

test("finds the state of its previous connection", async () => {
  const broker = new MemoryJetStream();
  const log = await open(broker);
  assert.equal([await log.readLastState(), await log.findSnapshotTable()], [null, null]);
  const reached = { sn: 7, chain: 9 };
  await log.append("table", PART, STATE);
  assert.equal([await log.readLastState(), await log.findSnapshotTable()], [STATE, 1]);
  const appended = [
    log.append("data", PART, { ...STATE, reached }),
    log.append("data", PART, { ...STATE, protocol: 5, reached }),
  ];
  assert.equal(await Promise.all(appended), [2, 3]);
  assert.equal(await log.readLastState(), { ...STATE, protocol: 5, reached });
  assert.is(await log.findSnapshotTable(), 1);
  assert.is(await log.append("table", PART, STATE), 4);
  assert.is(await log.findSnapshotTable(), 4);
});

test("appends only directly after the last known message", async () => {
  const broker = new MemoryJetStream();
  const [first, second] = [await open(broker), await open(broker)];
  for (let remaining = 2; remaining > 0; remaining--) await first.append("data", PART, STATE);
  const sequenceError = "undefined: wrong last sequence";
  assert.is(await describeFailure(second.append("data", PART, STATE)), sequenceError);
  await second.readLastState();
  assert.is(await second.append("data", PART, STATE), 3);
});

test("has no state after messages of other programs", async () => {
  const broker = new MemoryJetStream();
  const log = await open(broker);
  const foreign = (seq: number) => `SVC3363: stream LOG contains foreign messages: message ${seq}`;
  const { headers } = broker.packages.transport;
  const header = (fields: Record<string, string>) => {
    const made = headers();
    for (const [name, value] of Object.entries(fields)) made.set(name, value);
    return made;
  };
  const ownHeaders = { "Svc-Log": STATE.log, "Svc-Epoch": "3" };
  for (const stream of [
    undefined,
    header({}),
    header({ ...ownHeaders, "Svc-Log": "a" }),
    header({ ...ownHeaders, "Svc-Epoch": "x" }),
  ]) {
    const { seq } = broker.add("svc.LOG.data", stream, Buffer.alloc(0));
    assert.is(await describeFailure(log.readLastState()), foreign(seq));
  }
  for (const part of [
    {},
    { "Svc-Sn": "1" },
    { "Svc-Chain": "1" },
    { "Svc-Sn": "1", "Svc-Chain": "" },
  ]) {
    broker.add("svc.LOG.data", header({ ...ownHeaders, ...part }), Buffer.alloc(0));
    assert.equal(await log.readLastState(), STATE, "of the first release");
  }
  broker.messages.pop();
  assert.is(await describeFailure(log.readLastState()), foreign(broker.lastSeq));
});

test("fails with the broker, unless the stream has no table", async () => {
  const broker = new MemoryJetStream();
  const log = await open(broker);
  broker.requested = () => {
    throw Object.assign(new Error("no message"), { status: 404 });
  };
  assert.is(await log.findSnapshotTable(), null);
  broker.requested = () => {
    throw new Error("timeout");
  };
  assert.is(await describeFailure(log.findSnapshotTable()), "undefined: timeout");
});

test("distinguishes missing messages from failures", () => {
  const errors = [{ code: 404 }, { status: 404 }, { message: "stream not found" }];
  assert.equal(errors.map(isNotFound), [true, true, true]);
  const others = [{ code: 503 }, { status: 400 }, { message: "timeout" }];
  assert.equal(others.map(isNotFound), [false, false, false]);
});

/** Reads from a message on, until it ends; a list that grows. */
function read(log: JetStreamLog, seq: number) {
  const parts: ReceivedPart[] = [];
  const ended = (async (): Promise<void> => {
    for await (const part of log.read(seq)) parts.push(part);
  })();
  return { parts, ended };
}

test("reads parts from a given message until it is closed", async () => {
  const broker = new MemoryJetStream();
  const log = await open(broker);
  for (const text of ["a", "b", "c"]) {
    await log.append("data", { ...PART, bytes: Buffer.from(text) }, { ...STATE, protocol: 5 });
  }
  const { headers } = broker.packages.transport;
  const half = headers();
  half.set("Svc-Part", "1");
  for (const header of [undefined, half]) broker.add("svc.LOG.data", header, Buffer.from("d"));
  const { parts, ended } = read(log, 2);
  await settle();
  const data = (part: number, of: number, text: string, protocol: number) => ({
    ...{ part, parts: of, bytes: new Uint8Array(Buffer.from(text)), protocol },
  });
  assert.equal(parts, [
    data(2, 3, "b", 5),
    data(2, 3, "c", 5),
    data(0, 0, "d", 4),
    data(1, 0, "d", 4),
  ]);
  assert.is(log.isClosed, false);
  await log.close();
  await ended;
  assert.equal([log.isClosed, broker.closed], [true, 1]);
});

test("stops reading from a silent server", async () => {
  const broker = new MemoryJetStream();
  const log = await open(broker);
  const { ended } = read(log, 1);
  await settle();
  broker.tell("heartbeats_received");
  await settle();
  assert.is(broker.isReading, true);
  broker.tell("heartbeats_missed");
  await ended;
  assert.is(broker.isReading, false);
  await log.close();
});

test("removes the messages before a given one, but never all", async () => {
  const broker = new MemoryJetStream();
  const log = await open(broker);
  for (let remaining = 3; remaining > 0; remaining--) await log.append("data", PART, STATE);
  const purges: string[] = [];
  broker.requested = (request) => purges.push(request);
  for (const seq of [0, 1]) await log.truncateHead(seq);
  assert.equal(purges, []);
  await log.truncateHead(2);
  assert.equal([purges, broker.messages.length], [["purge 2"], 2]);
});

test("names the packages to install when they are missing", () => {
  const elsewhere = join(mkdtempSync(join(tmpdir(), "svc-none-")), "package.json");
  try {
    natsPackages([elsewhere]);
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3361");
    assert.match((error as Error).message, /a stream needs @nats-io.jetstream/);
  }
});

test("with `durable`, trusts only what each server reports about itself", async () => {
  const responses = [
    '{"jetstream":{"config":{"sync_interval":120000000000}}}',
    '{"jetstream":{"config":{"sync_always":"true"}}}',
    "null",
    "<html>",
    '{"jetstream":{"config":{"sync_interval":120000000000,"sync_always":true}}}',
  ];
  let n = 0;
  const server = createServer((_request, response) => response.end(responses[n++]));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const monitor = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const _response of responses.slice(1)) {
      await requireDurableServers([monitor], 1).then(unexpected, (error: SvcError) =>
        assert.is(error.code, "SVC3362"),
      );
    }
    await requireDurableServers([monitor], 1);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test("stays durable without one of three servers, not with one that flushes late", async () => {
  const says = [true, true, false, null];
  const outcomes = says.map((isAlways) =>
    createServer((_request, response) => {
      if (isAlways === null) response.destroy();
      else response.end(JSON.stringify({ jetstream: { config: { sync_always: isAlways } } }));
    }),
  );
  for (const server of outcomes) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
  const monitors = outcomes.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [first = "", two = "", late = "", down = ""] = monitors;
  try {
    await requireDurableServers([first, down, two], 3);
    for (const few of [
      [first, down, down],
      [first, two, late],
    ]) {
      await requireDurableServers(few, 3).then(unexpected, (error: SvcError) =>
        assert.is(error.code, "SVC3362"),
      );
    }
  } finally {
    for (const server of outcomes) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
});

function unexpected(): void {
  assert.unreachable();
}

test.run();

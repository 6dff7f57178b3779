// States that a writer sends with each part of a message, and when it continues.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type {
  LogStream,
  ReceivedPart,
  StreamPart,
  StreamState,
} from "../../../runtime/interconnect/stream/log-stream.js";
import {
  StreamReader,
  StreamWriter,
} from "../../../runtime/interconnect/stream/stream-messages.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { PROTOCOL } from "../../../runtime/interconnect/wire/peer.js";

const PART_BYTES = 64;
/** Before the body of each message. */
const HEADER_BYTES = 16;
/** Of a frame of maximum length, in a message. */
const MAX_BYTES = 2 ** 23 + 32 + 64;
const FORMER = { sn: 7, chain: 70 };
const NEXT = { sn: 9, chain: 90 };
const STATE: StreamState = { log: "0".repeat(32), epoch: 1, protocol: PROTOCOL, reached: FORMER };

interface Sent {
  readonly kind: "table" | "data";
  readonly part: StreamPart;
  readonly reached: StreamState["reached"];
  readonly store: () => void;
  readonly fail: (error: Error) => void;
}

const test = suite("messages of a stream");

/** A writer to a broker that stores each part on request. */
function setUp(maxPartBytes = PART_BYTES) {
  const sent: Sent[] = [];
  const reached: number[] = [];
  const append: LogStream["append"] = (kind, part, state) =>
    new Promise((resolve, reject) => {
      const store = (): void => resolve(sent.findIndex((message) => message.part === part) + 1);
      const copy = { ...part, bytes: Uint8Array.from(part.bytes) };
      const sentMessage = { kind, part, reached: state.reached, store, fail: reject };
      sent.push(Object.assign(sentMessage, { copy }));
    });
  const log = { maxPartBytes, append } as unknown as LogStream;
  const writer = new StreamWriter(log, STATE, (sn) => reached.push(sn));
  return { sent, reached, writer };
}

async function* yieldParts(sent: readonly Pick<ReceivedPart, "part" | "parts" | "bytes">[]) {
  for (const { part, parts, bytes } of sent) yield { part, parts, bytes, protocol: PROTOCOL };
}

async function* each(parts: readonly ReceivedPart[]) {
  yield* parts;
}

test("a table begins snapshots: no position is reached until they are complete", async () => {
  const { sent, reached, writer } = setUp();
  await writer.send(MessageType.Frame, Buffer.from("before"));
  const table = writer.sendTable({ text: "x".repeat(PART_BYTES) });
  await writer.sendJson(MessageType.SnapshotBegin, {});
  await writer.sendLast(MessageType.Frame, Buffer.alloc(PART_BYTES), NEXT);
  await writer.send(MessageType.Frame, Buffer.from("behind"));
  assert.equal(
    sent.map((message) => [message.kind, message.reached?.sn ?? null]),
    [
      ["data", FORMER.sn],
      ["table", null],
      ["data", null],
      ["data", null],
      ["data", null],
      ["data", NEXT.sn],
      ["data", NEXT.sn],
    ],
  );
  for (const { store } of sent) store();
  assert.is(await table, 2);
  await writer.flush();
  assert.equal(reached, [FORMER.sn, NEXT.sn, NEXT.sn]);
});

test("a flush waits until everything is stored, and fails with what failed", async () => {
  const { sent, reached, writer } = setUp();
  await writer.send(MessageType.Frame, Buffer.alloc(PART_BYTES));
  let isOver = false;
  const flushed = writer.flush().then(() => {
    isOver = true;
  });
  sent[0]!.store();
  await turn();
  assert.is(isOver, false);
  sent[1]!.store();
  await flushed;
  await writer.send(MessageType.Frame, Buffer.from("a"));
  sent[2]!.fail(new Error("the broker is full"));
  const outcome = await writer.flush().catch(({ message }: Error) => message);
  assert.is(outcome, "the broker is full");
  const later = await writer.flush().catch(({ message }: Error) => message);
  assert.is(later, "the broker is full", "nothing is stored behind it");
  const again = await writer.send(MessageType.Frame, Buffer.from("b")).catch((error) => error);
  assert.is(again.message, "the broker is full");
  sent[3]!.store();
  await turn();
  assert.is(reached.length, 2, "nothing counts as stored behind a failure");
});

test("sends more only while few bytes are in flight", async () => {
  const { sent, writer } = setUp(2 ** 20);
  let count = 0;
  const sending = (async () => {
    for (; count < 6; count++)
      await writer.send(MessageType.Frame, Buffer.alloc(2 ** 20 - HEADER_BYTES));
  })();
  for (let turns = 0; turns < 10; turns++) await turn();
  assert.equal([count, sent.length], [4, 5]);
  sent[0]!.store();
  await turn();
  assert.is(sent.length, 6);
  for (const { store } of sent) store();
  await sending;
});

test("a reader joins parts, and omits incomplete messages", async () => {
  const { sent, writer } = setUp();
  for (const text of ["first".repeat(30), "second", "third".repeat(1000)]) {
    await writer.send(MessageType.Frame, Buffer.from(text));
  }
  const parts = sent.map(({ part }) => part);
  const firstOfSecond = parts.findIndex(({ parts: of }) => of === 1);
  const read = async (streamParts: readonly StreamPart[]): Promise<string[]> => {
    const reader = new StreamReader(yieldParts(streamParts));
    const texts: string[] = [];
    for (;;) {
      const message = await reader.next();
      if (message === null) return texts;
      texts.push(message.body.toString().slice(0, 6));
    }
  };
  assert.equal(await read(parts), ["firstf", "second", "thirdt"]);
  assert.equal(await read(parts.slice(1)), ["second", "thirdt"]);
  assert.equal(await read(parts.slice(0, -1)), ["firstf", "second"]);
  // A writer has crashed within the first message.
  const torn = [...parts.slice(0, 1), ...parts.slice(firstOfSecond)];
  assert.equal(await read(torn), ["second", "thirdt"]);
  // Nothing joins a message that is whole.
  const stray = { part: firstOfSecond + 1, parts: firstOfSecond + 1, bytes: Buffer.from("x") };
  assert.equal(await read([...parts.slice(0, firstOfSecond), stray]), ["firstf"]);
  const [firstPart] = parts;
  for (const part of [0, firstPart!.parts + 1]) {
    const outcome = await read([{ ...firstPart!, part }]).catch(({ message }: Error) => message);
    assert.match(String(outcome), /invalid part/);
  }
});

test("a reader takes messages of a limited length, and of no later release", async () => {
  const outcome = (...parts: readonly ReceivedPart[]): Promise<string> =>
    new StreamReader(each(parts)).next().then(
      () => "none",
      ({ message }: Error) => message,
    );
  const half = (length: number, part = 1) => ({
    ...{ part, parts: 2, bytes: Buffer.alloc(length), protocol: PROTOCOL },
  });
  const long = "replication: message is too long";
  const whole = "replication: not a replication message";
  assert.is(await outcome(half(MAX_BYTES - 1), half(1, 2)), whole);
  assert.is(await outcome(half(MAX_BYTES - 1), half(2, 2)), long);
  const short = await outcome(half(MAX_BYTES - 1), half(1), half(1, 2));
  assert.is(short, "replication: incomplete message", "it has begun again");
  const later = await outcome({ ...half(1), protocol: PROTOCOL + 1 });
  assert.match(later, `replication: messages of the stream: format ${PROTOCOL + 1}`);
});

test("a reader reports an unexpected message", async () => {
  const { sent, writer } = setUp();
  await writer.send(MessageType.Frame, Buffer.from("a"));
  const parts = sent.map(({ part }) => part);
  const reader = new StreamReader(yieldParts(parts));
  const errorMessage = await reader
    .expect(MessageType.Table)
    .catch(({ message }: Error) => message);
  assert.match(String(errorMessage), new RegExp(`got ${MessageType.Frame}`));
  const ended = await reader.expect(MessageType.Frame).catch(({ message }: Error) => message);
  assert.match(String(ended), /the stream has ended/);
  const good = new StreamReader(yieldParts(parts));
  assert.is((await good.expect(MessageType.Frame)).toString(), "a");
});

test.run();

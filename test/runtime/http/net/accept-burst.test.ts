// Input that waits while new connections arrive.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AcceptBurst, type PostponedReader } from "../../../../runtime/http/net/accept-burst.js";

const test = suite("accept burst");

/** A connection that records its input. */
class Reader implements PostponedReader {
  readonly #name: string;
  readonly #taken: string[];
  readonly #isBroken: boolean;

  constructor(name: string, taken: string[], isBroken = false) {
    this.#name = name;
    this.#taken = taken;
    this.#isBroken = isBroken;
  }

  process(chunk: Buffer): void {
    this.#taken.push(`${this.#name}${chunk}`);
    if (this.#isBroken) throw new Error("broken");
  }
}

/** Input arrives, as at a connection. */
function arrive(burst: AcceptBurst, reader: Reader, text: string): void {
  const chunk = Buffer.from(text);
  if (!burst.postpone(reader, chunk)) reader.process(chunk);
}

/** Waits until a burst is over that has ended. */
async function passBurst(): Promise<void> {
  for (let n = 0; n < 4; n++) await nextTurn();
}

test("keeps the first input of each connection until no more are accepted", async () => {
  const taken: string[] = [];
  const burst = new AcceptBurst();
  const [a, b, c] = ["a", "b", "c"].map((name) => new Reader(name, taken));
  arrive(burst, a!, "0");
  burst.recordConnection();
  arrive(burst, a!, "1");
  arrive(burst, b!, "1");
  arrive(burst, c!, "1");
  assert.equal(taken, ["a0"]);
  assert.ok(burst.has(a!));
  arrive(burst, b!, "2");
  assert.equal(taken, ["a0", "b1", "b2"]);
  await passBurst();
  assert.equal(taken, ["a0", "b1", "b2", "a1", "c1"]);
  assert.not.ok(burst.has(a!));
  arrive(burst, a!, "2");
  assert.is(taken.at(-1), "a2");
});

test("a fault of one connection neither stops others nor lets input overtake theirs", async () => {
  const taken: string[] = [];
  const caught: string[] = [];
  const burst = new AcceptBurst();
  const readers = ["a", "b", "c", "d"].map((name) => new Reader(name, taken, "bc".includes(name)));
  process.setUncaughtExceptionCaptureCallback(({ message }) => {
    caught.push(message);
    // More arrives before the others go on.
    if (caught.length === 1) arrive(burst, readers[3]!, "2");
  });
  try {
    burst.recordConnection();
    for (const reader of readers) arrive(burst, reader, "1");
    for (let n = 0; n < 3; n++) await passBurst();
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
  assert.equal(caught, ["broken", "broken"]);
  assert.equal(taken, ["a1", "b1", "d1", "d2", "c1"]);
  arrive(burst, readers[0]!, "3");
  assert.is(taken.at(-1), "a3");
});

test.run();

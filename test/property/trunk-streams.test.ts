// Two ends of a trunk over a connection that accepts and delivers bytes at random: each stream
// transfers exactly the written bytes, independently of the others. SEED and ROUNDS select other
// and longer runs.
// limit: 60 s

import { EventEmitter } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ByteSocket } from "../../runtime/trunk/byte-socket.js";
import { Trunk } from "../../runtime/trunk/trunk.js";
import type { TrunkStream } from "../../runtime/trunk/trunk-stream.js";
import { generator } from "../conformance/mutations.js";
import { rounds } from "../support/rounds.js";

const SEED = Number(process.env.SEED ?? 20261123);
const ROUNDS = rounds(30);
const STEPS = 120;

const test = suite("trunk streams");
type Random = () => number;

/** Keeps written bytes until they are taken. */
class Pipe extends EventEmitter implements ByteSocket {
  readonly destroyed = false;
  readonly bytesRead = 0;
  readonly bytesWritten = 0;
  readonly writableHighWaterMark = 65_536;
  #bytes = Buffer.alloc(0);

  get writableLength(): number {
    return this.#bytes.length;
  }

  write(content: Uint8Array | string): void {
    const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  take(count: number): Buffer {
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    if (this.#bytes.length === 0) this.emit("drain");
    return taken;
  }

  cork(): void {}
  uncork(): void {}
  end(): void {}
  pause(): void {}
  resume(): void {}
  destroy(): void {}
  setKeepAlive(): void {}
  setTimeout(): void {}
}

/** One end of a stream, and its received data. */
class End {
  sent = "";
  received = "";
  fate = "";
  isClosed = false;
  isEnding = false;

  constructor(readonly stream: TrunkStream) {
    stream.on("data", (chunk: Buffer) => {
      this.received += chunk.toString("latin1");
    });
    for (const fate of ["end", "error", "refused"]) {
      stream.on(fate, () => {
        this.fate += fate;
      });
    }
    stream.on("close", () => {
      this.isClosed = true;
    });
  }

  write(random: Random): void {
    if (this.stream.destroyed || this.isEnding) return;
    const length = random() < 0.1 ? Math.floor(random() * 200_000) : Math.floor(random() * 300);
    const text = String.fromCharCode(32 + Math.floor(random() * 224)).repeat(length);
    this.sent += text;
    if (random() < 0.5) this.stream.write(text);
    else this.stream.write(Buffer.from(text, "latin1"));
  }
}

class World {
  readonly near: End[] = [];
  readonly far = new Map<number, End>();
  readonly refusedStreams = new Set<number>();
  readonly #random: Random;
  readonly #pipes = [new Pipe(), new Pipe()] as const;
  readonly front: Trunk;
  readonly back: Trunk;

  /** Bytes that the back-end buffers for slow readers. */
  held = 0;

  constructor(random: Random) {
    this.#random = random;
    const [out, back] = this.#pipes;
    const onStreamClose = (): void => {};
    const onStall = (): void => assert.unreachable("stalled");
    this.front = new Trunk(out, { onOpen: null, onStreamClose, onStall, memory: null }, true);
    const onOpen = (stream: TrunkStream): boolean => {
      if (this.#random() < 0.1) {
        this.refusedStreams.add(stream.id);
        return false;
      }
      this.far.set(stream.id, new End(stream));
      return true;
    };
    const memory = {
      take: (bytes: number) => {
        this.held += bytes;
        return true;
      },
      give: (bytes: number) => {
        this.held -= bytes;
      },
    };
    this.back = new Trunk(back, { onOpen, onStreamClose, onStall, memory }, true);
  }

  /** Bytes in transit. */
  get under(): number {
    return this.#pipes[0].writableLength + this.#pipes[1].writableLength;
  }

  deliver(maxBytes: number): void {
    const count = Math.floor(this.#random() * maxBytes) + 1;
    assert.ok(this.back.receive(this.#pipes[0].take(count)));
    assert.ok(this.front.receive(this.#pipes[1].take(count)));
  }

  step(): void {
    const random = this.#random;
    const kind = random();
    const isNear = random() < 0.5;
    const ends = isNear ? this.near : [...this.far.values()];
    const end = ends[Math.floor(random() * ends.length)];
    if (kind < 0.15 || end === undefined) {
      this.near.push(new End(this.front.open()));
    } else if (kind < 0.7) end.write(random);
    else if (kind < 0.75) end.stream.destroy();
    else if (kind < 0.8 && !isNear && !end.stream.destroyed) {
      end.isEnding = true;
      end.stream.end(() => {});
    } else if (kind < 0.84 && !isNear) {
      if (random() < 0.5) end.stream.pause();
      else end.stream.resume();
    } else this.deliver(100_000);
  }

  check(): void {
    for (const near of this.near) {
      const { id } = near.stream;
      const far = this.far.get(id);
      if (this.refusedStreams.has(id))
        assert.ok(far === undefined && /^(refused)?$/.test(near.fate));
      else if (far === undefined) assert.ok(near.sent === "" || near.stream.destroyed);
      else checkPair(near, far);
    }
  }
}

function checkPair(near: End, far: End): void {
  // An aborted end has received a prefix.
  assert.ok(near.sent.startsWith(far.received) && far.sent.startsWith(near.received));
  assert.is(near.stream.destroyed, far.stream.destroyed);
  if (far.isEnding && near.fate === "end") assert.ok(near.received === far.sent);
  if (near.stream.destroyed) return;
  assert.ok(far.received === near.sent && near.received === far.sent);
}

test("transfer exactly the written bytes", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const world = new World(generator(SEED + round));
    for (let step = 0; step < STEPS; step++) {
      world.step();
      if (step % 5 === 0) await new Promise(setImmediate);
    }
    for (const { stream } of world.far.values()) stream.resume();
    assert.is(world.held, 0);
    // Twice, because bytes written after a drain leave in the next turn.
    for (let quiet = 0; quiet < 2; ) {
      await new Promise(setImmediate);
      if (world.under === 0) quiet++;
      else {
        quiet = 0;
        world.deliver(300_000);
      }
    }
    world.check();
    const open = world.near.filter(({ stream }) => !stream.destroyed).length;
    assert.is(world.front.size, open);
    world.front.lost(null);
    world.back.lost(new Error("gone"));
    await new Promise(setImmediate);
    for (const end of [...world.near, ...world.far.values()]) assert.ok(end.isClosed);
    assert.equal([world.front.size, world.back.size, world.held], [0, 0, 0]);
  }
});

test.run();

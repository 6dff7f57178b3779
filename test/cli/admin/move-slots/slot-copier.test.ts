// Sends the content of slots once, in messages of limited size.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MoveRate } from "../../../../cli/admin/move-slots/move-rate.js";
import { SlotCopier } from "../../../../cli/admin/move-slots/slot-copier.js";
import type { InstanceCalls } from "../../../../runtime/system/instance-calls.js";
import { SlotInstances } from "../../../../runtime/system/slot-moves/slot-instances.js";

const test = suite("copies of slots");
/** Bytes of a message. */
const MAX_MESSAGE_BYTES = 10;
const [FROM, TO] = [
  { id: "B1", term: 1 },
  { id: "B2", term: 1 },
];

interface Chunk {
  readonly slot: number;
  readonly offset: number;
  readonly data: string;
}

/** A source and a target. */
class Pair {
  readonly received = new Map<number, string>();
  messages = 0;
  encodings = 0;
  /** Replaces the responses of the source. */
  forged: readonly string[] | null = null;

  constructor(readonly content: Map<number, string>) {}

  get copier(): SlotCopier {
    const call: InstanceCalls["call"] = async (id, _operation, _parameters, body) => {
      const command = JSON.parse(body!);
      if (command.do === "encode") this.encodings++;
      if (command.do === "encode") return this.encoded();
      if (id === FROM!.id) return { data: this.forged ?? this.#read(command.wanted) };
      for (const { slot, offset, data } of command.chunks as Chunk[]) {
        const before = offset === 0 ? "" : this.received.get(slot)!;
        assert.is(before.length, offset);
        this.received.set(slot, before + Buffer.from(data, "base64").toString());
      }
      assert.equal(command.names, { g: [[1, 2, "name"]] });
      return {};
    };
    return new SlotCopier(new SlotInstances({ call } as InstanceCalls, null), new MoveRate(0));
  }

  encoded() {
    const slots = [...this.content].map(([slot, text]) => {
      return { slot, bytes: text.length, digest: text, vertices: 0, arcs: 0 };
    });
    const graphs = [{ graph: "g", slots, names: [[1, 2, "name"]] }];
    return { slots: [...this.content.keys()], graphs };
  }

  #read(chunks: readonly Chunk[]): string[] {
    this.messages++;
    const read: string[] = [];
    for (let remaining = MAX_MESSAGE_BYTES; remaining > 0 && read.length < chunks.length; ) {
      const { slot, offset } = chunks[read.length]!;
      const text = (this.content.get(slot) ?? "").slice(offset, offset + remaining);
      remaining -= text.length;
      read.push(Buffer.from(text).toString("base64"));
    }
    return read;
  }
}

test("are complete, in few messages", async () => {
  const texts = ["", "a", "bc", "d".repeat(25), "", "e"];
  const pair = new Pair(new Map(texts.map((text, slot) => [slot, text])));
  const { copier } = pair;
  await copier.copy(pair.encoded(), "move", FROM!, TO!);
  assert.equal([...pair.received.values()], texts);
  assert.is(pair.messages, 3);
  assert.is(copier.bytes, 29);
  // Only changed content is sent again.
  pair.content.set(1, "changed");
  await copier.copy(pair.encoded(), "move", FROM!, TO!);
  assert.equal([pair.received.get(1), pair.messages, copier.bytes], ["changed", 4, 36]);
});

test("are sent again for each move, because the target drops copies of other moves", async () => {
  const pair = new Pair(new Map([[1, "a"]]));
  const { copier } = pair;
  for (const id of ["first", "second"]) await copier.copy(pair.encoded(), id, FROM!, TO!);
  assert.is(pair.messages, 2);
  pair.content.set(2, "b");
  pair.content.delete(1);
  await copier.copy(pair.encoded(), "third", FROM!, TO!);
  pair.content.set(1, "a");
  await copier.copy(pair.encoded(), "third", FROM!, TO!);
  assert.is(pair.messages, 4);
});

for (const [text, forged] of [
  ["text", null],
  ["", []],
] as const) {
  test(`fail if the content of the source differs from "${text}"`, async () => {
    const pair = new Pair(new Map([[1, text]]));
    const encoded = pair.encoded();
    pair.content.clear();
    pair.forged = forged;
    try {
      await pair.copier.copy(encoded, "move", FROM!, TO!);
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, /B1 lacks slot 1/);
    }
  });
}

test("for the next cut are read while the target writes", async () => {
  const pair = new Pair(
    new Map([
      [1, "a"],
      [2, "d".repeat(15)],
    ]),
  );
  const { copier } = pair;
  copier.readAhead(FROM!, [1, 2], 1, new Promise(() => {}));
  while (pair.messages < 2) await turn();
  await turn();
  assert.is(pair.received.size, 0);
  const encoded = await copier.encode(FROM!, [1, 2, 3], 1);
  await copier.copy(encoded, "next", FROM!, TO!);
  assert.equal([...pair.received], [...pair.content]);
  assert.equal([pair.encodings, pair.messages], [1, 2]);
  // Only later changes are sent again.
  pair.content.set(1, "b");
  await copier.copy(pair.encoded(), "next", FROM!, TO!);
  assert.equal([pair.received.get(1), pair.messages], ["b", 3]);
});

test("for the next cut are read by that cut if the target has finished", async () => {
  const pair = new Pair(new Map([[1, "d".repeat(15)]]));
  const { copier } = pair;
  copier.readAhead(FROM!, [1], 1, Promise.resolve());
  while (pair.encodings === 0) await turn();
  await turn();
  assert.is(pair.messages, 0);
  await copier.copy(await copier.encode(FROM!, [1], 1), "next", FROM!, TO!);
  assert.equal([...pair.received], [...pair.content]);
  assert.is(pair.encodings, 1);
});

for (const [change, from, slots] of [
  ["another leader", { ...FROM!, term: 2 }, [1, 2]],
  ["other slots", FROM!, [2, 3]],
] as const) {
  test(`for the next cut are encoded again after ${change}`, async () => {
    const pair = new Pair(
      new Map([
        [1, "a"],
        [2, "b"],
      ]),
    );
    const { copier } = pair;
    copier.readAhead(FROM!, [1, 2], 1, new Promise(() => {}));
    while (pair.messages === 0) await turn();
    pair.content.set(1, "c");
    const encoded = await copier.encode(from, slots, 1);
    assert.is(pair.encodings, 2);
    await copier.copy(encoded, "next", from, TO!);
    assert.is(pair.received.get(1), "c");
  });
}

test("are encoded again after the source holds them", async () => {
  const pair = new Pair(new Map([[1, "a"]]));
  const { copier } = pair;
  copier.readAhead(FROM!, [1], 1, new Promise(() => {}));
  await copier.encodeHeld(FROM!, { id: "m", version: 1, from: "B1", to: "B2", slots: [1] });
  await copier.encode(FROM!, [1], 1);
  assert.is(pair.encodings, 3);
});

test.run();

// Content of slots is sent in messages of limited size, and once.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MoveRate } from "../../../../cli/admin/move-slots/move-rate.js";
import { SlotCopier } from "../../../../cli/admin/move-slots/slot-copier.js";
import type { InstanceCalls } from "../../../../runtime/system/instance-calls.js";
import { SlotInstances } from "../../../../runtime/system/slot-moves/slot-instances.js";

const test = suite("copies of slots");
/** Bytes of a message. */
const MOST = 10;
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
  /** Replaces what the source answers. */
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

  #read(wanted: readonly Chunk[]): string[] {
    this.messages++;
    const read: string[] = [];
    for (let left = MOST; left > 0 && read.length < wanted.length; ) {
      const { slot, offset } = wanted[read.length]!;
      const text = (this.content.get(slot) ?? "").slice(offset, offset + left);
      left -= text.length;
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
  // Only what has changed is sent again.
  pair.content.set(1, "changed");
  await copier.copy(pair.encoded(), "move", FROM!, TO!);
  assert.equal([pair.received.get(1), pair.messages, copier.bytes], ["changed", 4, 36]);
});

test("are sent for each move, because the target drops those of another one", async () => {
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
  test(`end where the source has other content than "${text}"`, async () => {
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

/** Copies slots ahead, with the target that has written the present cut or has not. */
async function copyAhead(pair: Pair, copier: SlotCopier, written: Promise<unknown>) {
  const slots = [...pair.content.keys()];
  copier.copyAhead("next", FROM!, TO!, slots, 1, written);
  // The next cut begins once nothing is copied ahead.
  return copier.encode(FROM!, slots, 1);
}

test("of the next cut are sent once the target has written the present one", async () => {
  const pair = new Pair(
    new Map([
      [1, "a"],
      [2, "d".repeat(15)],
    ]),
  );
  const { copier } = pair;
  let end = (): void => {};
  const written = new Promise<void>((resolve) => {
    end = resolve;
  });
  const encoding = copyAhead(pair, copier, written);
  while (pair.messages < 2) await turn();
  await turn();
  assert.is(pair.received.size, 0);
  assert.is(pair.encodings, 1);
  end();
  const encoded = await encoding;
  assert.is(pair.encodings, 2);
  assert.equal([...pair.received], [...pair.content]);
  // Only what has changed since is sent again.
  await copier.copy(encoded, "next", FROM!, TO!);
  assert.is(pair.messages, 2);
  copier.forget();
  await copier.copy(encoded, "next", FROM!, TO!);
  assert.is(pair.messages, 4);
});

test("of the next cut are not read any more once the target has written", async () => {
  const pair = new Pair(new Map([[1, "d".repeat(15)]]));
  const { copier } = pair;
  const encoded = await copyAhead(pair, copier, Promise.resolve());
  assert.is(pair.messages, 0);
  await copier.copy(encoded, "next", FROM!, TO!);
  assert.equal([...pair.received], [...pair.content]);
});

test("of the next cut are not sent if the target has not written the present one", async () => {
  const pair = new Pair(new Map([[1, "a"]]));
  await copyAhead(pair, pair.copier, Promise.reject(new Error("lost")));
  assert.is(pair.received.size, 0);
});

test.run();

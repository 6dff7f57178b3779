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
  /** Replaces what the source answers. */
  forged: readonly string[] | null = null;

  constructor(readonly content: Map<number, string>) {}

  get copier(): SlotCopier {
    const call: InstanceCalls["call"] = async (id, _operation, _parameters, body) => {
      const command = JSON.parse(body!);
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

test("are not encoded while the source encodes others ahead", async () => {
  const asked: string[] = [];
  const end: ((error?: Error) => void)[] = [];
  const call: InstanceCalls["call"] = (_id, _operation, _parameters, body) => {
    asked.push(String(JSON.parse(body!).slots));
    return new Promise((resolve, reject) => {
      end.push((error) => (error === undefined ? resolve({}) : reject(error)));
    });
  };
  const instances = new SlotInstances({ call } as InstanceCalls, null);
  const copier = new SlotCopier(instances, new MoveRate(0));
  for (const [at, error] of [undefined, new Error("lost")].entries()) {
    asked.length = 0;
    copier.encodeAhead(FROM!, [2, 3], 1);
    const encoded = copier.encode(FROM!, [1]);
    await turn();
    assert.equal(asked, ["2,3"]);
    end[2 * at]!(error);
    await turn();
    assert.equal(asked, ["2,3", "1"]);
    end[2 * at + 1]!();
    await encoded;
  }
});

test.run();

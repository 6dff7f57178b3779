// The coordinator of a cut, with instances in memory: the target gets all content as the source
// holds it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AdminContext } from "../../../../cli/admin/context.js";
import { MoveRate } from "../../../../cli/admin/move-slots/move-rate.js";
import { SlotMover } from "../../../../cli/admin/move-slots/slot-mover.js";
import { divideSlots } from "../../../../runtime/base/slot-map.js";
import {
  changeSlots,
  type SlotCommand,
  type SlotMove,
  type SlotRecord,
} from "../../../../runtime/base/slot-record.js";
import type { ProcedureLease } from "../../../../runtime/system/procedure-lease.js";
import { SETTLED, TWO_GROUPS } from "../../../support/two-groups.js";

const SLOTS = [0, 1];
const MOVED = { from: "B1", to: "B2", slots: SLOTS };

interface Command {
  readonly do: string;
  readonly id: string;
  readonly withQueries?: boolean;
  readonly slots: readonly number[];
  readonly maxWords: number;
  readonly move?: SlotMove;
  readonly command: SlotCommand;
  readonly last?: SlotCommand;
  readonly wanted: readonly { readonly slot: number; readonly offset: number }[];
  readonly chunks: readonly { readonly slot: number; readonly data: string }[];
}

/** Two engines with a text in each slot, and a dispatcher. */
class Cut {
  readonly records = new Map<string, SlotRecord>();
  readonly content: Map<number, string>;
  readonly staged = new Map<number, string>();
  /** Commands for the target and the dispatcher. */
  readonly steps: string[] = [];
  /** Called before each command. */
  before: (id: string, command: Command) => void = () => undefined;
  readonly mover: SlotMover;

  constructor(slots: readonly number[] = SLOTS, record: SlotRecord = SETTLED) {
    this.content = new Map(slots.map((slot) => [slot, `content ${slot}`]));
    for (const id of ["TD", ...record.groups]) this.records.set(id, record);
    const call = async (id: string, _: string, __: object, body: string): Promise<object> => {
      const command = JSON.parse(body) as Command;
      this.before(id, command);
      this.#note(id, command);
      const result = this.#execute(id, command);
      return { leads: true, term: 0, digests: {}, isOwn: true, record: this.record(id), ...result };
    };
    const renew = async (): Promise<void> => {
      this.steps.push("renew");
    };
    const lease = { holder: "a", renew, rest: async () => {} };
    this.mover = new SlotMover(
      { system: TWO_GROUPS, call } as unknown as AdminContext,
      lease as unknown as ProcedureLease,
      new MoveRate(0),
    );
  }

  record(id: string): SlotRecord {
    return this.records.get(id)!;
  }

  #note(id: string, command: Command): void {
    const kind = command.do === "tell" ? command.command.do : command.do;
    if (kind === "encode-anchors") this.steps.push(kind);
    if (id === "B2" && kind !== "look") this.steps.push(kind);
    if (kind === "hold-requests")
      this.steps.push(command.withQueries ? "hold all" : "hold changes");
    if (kind === "release-requests") this.steps.push("release");
  }

  #change(id: string, command: SlotCommand): void {
    const replica = id === "TD" ? null : id;
    this.records.set(id, changeSlots(this.record(id), replica, command));
  }

  #execute(id: string, command: Command): object {
    const { move, slots, wanted, chunks, last } = command;
    const texts = (of: readonly number[]) =>
      of.map((slot) => [slot, this.content.get(slot)!] as const);
    if (move !== undefined) this.#change(id, { do: "hold", move });
    switch (command.do) {
      case "hold-requests":
        return { running: 0 };
      case "encode": {
        const encoded = texts(slots).map(([slot, digest]) => {
          return { slot, digest, bytes: digest.length, vertices: 1, arcs: 0 };
        });
        return { slots, graphs: [{ graph: "things", names: [], slots: encoded }] };
      }
      case "encode-anchors":
        return { slots: [], graphs: [] };
      case "read":
        return { data: wanted.map(({ slot }) => btoa(this.content.get(slot)!)) };
      case "stage":
        for (const { slot, data } of chunks) this.staged.set(slot, atob(data));
        return {};
      case "write": {
        const missing = move!.slots.filter((slot) => !this.staged.has(slot));
        if (missing.length > 0) return { missing };
        return { digests: { things: Object.fromEntries(this.staged) }, ms: 0, contents: {} };
      }
      case "tell":
        this.#change(id, command.command);
        return {};
      case "remove":
        if (last !== undefined) this.#change(id, last);
        return { ms: 0 };
      default:
        return { ms: 0 };
    }
  }
}

const test = suite("coordinator of a cut");

/** Moves all slots, and returns the steps of the first cut until its requests go on. */
async function cut(scenario: Cut): Promise<string[]> {
  assert.is(await scenario.mover.move(MOVED), SLOTS.length);
  await scenario.mover.settle();
  assert.is(scenario.record("TD").version, 1);
  assert.equal([...scenario.staged], [...scenario.content]);
  return scenario.steps.slice(0, scenario.steps.indexOf("release") + 1);
}

test("queries wait only once the source holds the content", async () => {
  const steps = await cut(new Cut());
  const end = ["hold all", "write", "take", "release"];
  assert.equal(steps, ["stage", "hold changes", "prepare", ...end]);
});

test("a group without slots gets the anchors before queries wait", async () => {
  const scenario = new Cut(SLOTS, { ...SETTLED, map: divideSlots(SETTLED.map.count, 1) });
  const end = ["encode-anchors", "hold all", "write", "take", "release"];
  assert.equal(await cut(scenario), ["stage", "hold changes", "prepare", ...end]);
});

test("content that changes before the source holds it is sent again", async () => {
  const scenario = new Cut();
  scenario.before = (id, { do: step, move }) => {
    if (id === "B1" && step === "encode" && move !== undefined) scenario.content.set(1, "changed");
  };
  const end = ["stage", "hold all", "write", "take", "release"];
  assert.equal(await cut(scenario), ["stage", "hold changes", "prepare", ...end]);
});

test("content that the target has lost is sent again", async () => {
  const scenario = new Cut();
  let writes = 0;
  scenario.before = (_, { do: step }) => {
    if (step === "write" && writes++ === 0) scenario.staged.clear();
  };
  const again = ["prepare", "stage", "write"];
  const end = ["hold all", "write", ...again, "take", "release"];
  assert.equal(await cut(scenario), ["stage", "hold changes", "prepare", ...end]);
});

test("the last cut encodes nothing ahead", async () => {
  const scenario = new Cut();
  const encoded: number[] = [];
  scenario.before = (_, { do: step, slots }) => {
    if (step === "encode") encoded.push(slots.length);
  };
  await cut(scenario);
  assert.equal(encoded, [SLOTS.length, SLOTS.length]);
});

test("small slots share a cut, which grows to 512 slots", async () => {
  const slots = Array.from({ length: 2000 }, (_, slot) => slot);
  const { mover } = new Cut(slots, { ...SETTLED, map: divideSlots(4096, 2) });
  const counts: number[] = [];
  for (let done = 0; done < slots.length; done += counts.at(-1)!) {
    counts.push(await mover.move({ ...MOVED, slots: slots.slice(done) }));
  }
  assert.equal(counts, [16, 48, 112, 240, 496, 512, 512, 64]);
});

test("the first cut between other groups is small again", async () => {
  const scenario = new Cut([1, 2, 4000], { ...SETTLED, map: divideSlots(4096, 2) });
  for (const slot of [1, 2, 4000]) scenario.content.set(slot, "a".repeat(2 ** 14));
  const encodeLimit = async (move: typeof MOVED): Promise<number> => {
    let maxWords = 0;
    scenario.before = (_, command) => {
      if (command.do === "encode" && command.move === undefined) maxWords = command.maxWords;
    };
    await scenario.mover.move(move);
    return maxWords;
  };
  const [first, second] = [
    await encodeLimit({ ...MOVED, slots: [1] }),
    await encodeLimit({ ...MOVED, slots: [2] }),
  ];
  assert.ok(second > first);
  assert.is(await encodeLimit({ from: "B2", to: "B1", slots: [4000] }), first);
});

for (const [bytes, words] of [
  [2 ** 14 - 4, 2 ** 13],
  [2 ** 14, 2 ** 14],
] as const) {
  test(`after a cut of ${bytes} bytes, the next one to encode has ${words} words`, async () => {
    const slots = Array.from({ length: 65 }, (_, slot) => slot);
    const scenario = new Cut(slots, { ...SETTLED, map: divideSlots(4096, 2) });
    for (const slot of slots) scenario.content.set(slot, slot === 0 ? "a".repeat(bytes) : "");
    await scenario.mover.move({ ...MOVED, slots });
    let maxWords = 0;
    scenario.before = (_, command) => {
      if (command.do === "encode" && command.move === undefined) maxWords = command.maxWords;
    };
    await scenario.mover.move({ ...MOVED, slots: slots.slice(16) });
    assert.is(maxWords, words);
  });
}

test.run();

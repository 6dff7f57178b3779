// A handover by one member, with a clock that never makes anything due.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Group } from "../../../../runtime/interconnect/leadership/group.js";
import type { Incarnation } from "../../../../runtime/interconnect/leadership/leadership.js";
import { MemberFile } from "../../../../runtime/interconnect/leadership/member-file.js";
import { MemoryEngine } from "../support/memory-engine.js";

const HOUR_MS = 3_600_000;
const OTHER: Incarnation = ["S1", "1".repeat(32)];

const test = suite("handover");

test("the last acknowledgement completes it, not the next interval", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-handover-"));
  const engine = new MemoryEngine();
  let end = 0;
  let role = "";
  let isFrozen = false;
  const nothing = async (): Promise<void> => undefined;
  const rules = { ttl: HOUR_MS, minSynced: 1, whenAlone: "refuse" as const, members: {} };
  const group = new Group({
    settings: { engine: "memory:", ...rules, group: "B1", id: "B1" },
    ...{ engine: engine.open("B1"), file: new MemberFile(folder, "B1"), epoch: 0 },
    ...{ warn: () => undefined, end: () => end, lag: () => 0, heardAtMs: () => 0 },
    ...{ isComplete: () => true, lead: nothing, follow: nothing },
    freeze: async () => {
      isFrozen = true;
    },
    ...{ thaw: () => undefined, confirm: () => undefined, changed: () => undefined },
    ...{ met: () => undefined },
    publish: (published) => {
      role = published;
    },
  });
  group.start();
  while (role !== "refusing") await turn();
  while (!group.report().synced.includes("S1")) {
    group.acknowledged(OTHER, 0);
    // Makes the next step due.
    group.hurry();
    await turn();
  }
  end = 1;
  const handedOver = group.handOver("S1", 10_000);
  while (!isFrozen) await turn();
  // It finds that the change is not acknowledged, and waits.
  for (let count = 0; count < 10; count++) await turn();
  assert.is(engine.record!.holder, "B1");
  group.acknowledged(OTHER, 1);
  await handedOver;
  assert.equal([engine.record!.holder, engine.record!.next], [null, "S1"]);
  await group.stop();
  rmSync(folder, { recursive: true });
});

test.run();

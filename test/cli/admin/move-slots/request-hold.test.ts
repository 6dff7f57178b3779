// Dispatchers hold changes of slots, then queries, too. Queries go on with the new map, and changes
// once the last act has ended.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BusyError, RequestHold } from "../../../../cli/admin/move-slots/request-hold.js";
import { divideSlots } from "../../../../runtime/base/slot-map.js";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";
import type { ProcedureLease } from "../../../../runtime/system/procedure-lease.js";
import type { SlotInstances } from "../../../../runtime/system/slot-moves/slot-instances.js";

const test = suite("hold of requests");
const RECORD: SlotRecord = { version: 1, map: divideSlots(16, 1), groups: ["B1"], move: null };
const NOTHING = () => {};

interface Sent {
  readonly do: string;
  readonly withQueries?: boolean;
  readonly record?: object;
}

/** @param running requests of dispatchers */
function begin(running = 0) {
  const sent: string[] = [];
  const lease = { renew: async () => {} } as unknown as ProcedureLease;
  const send = async (id: string, { do: what, withQueries, record }: Sent) => {
    const held = withQueries === undefined ? "" : ` ${withQueries ? "all" : "changes"}`;
    sent.push(`${id} ${what}${held}${record === undefined ? "" : " with map"}`);
    return { running };
  };
  const instances = { send } as unknown as SlotInstances;
  return { sent, hold: new RequestHold(lease, instances, ["TD", "T1"]) };
}

async function rejects(promise: Promise<void>, type: new (id: string) => Error): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.instance(error, type);
}

test("ends for queries with the new map, and for changes after the last act", async () => {
  const { sent, hold } = begin();
  const act = async () => {
    sent.push("act");
    await hold.holdQueries();
    return RECORD;
  };
  const last = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    sent.push("last act");
  };
  let waited: readonly number[] = [];
  await hold.during([3], 100, act, last, (...ms) => {
    waited = ms;
  });
  assert.equal(sent, [
    ...["TD hold-requests changes", "T1 hold-requests changes", "act"],
    ...["TD hold-requests all", "T1 hold-requests all"],
    ...["T1 hold-requests changes with map", "TD hold-requests changes with map", "last act"],
    ...["T1 release-requests", "TD release-requests"],
  ]);
  assert.ok(waited[0]! >= waited[1]!);
});

test("ends without another map if requests run for too long, or an act fails", async () => {
  const busy = begin(1);
  const never = () => Promise.reject(new Error("it is busy"));
  await rejects(busy.hold.during([3], 0, never, never, NOTHING), BusyError);
  assert.equal(busy.sent.slice(1), ["T1 release-requests", "TD release-requests"]);
  const { sent, hold } = begin();
  const fail = () => Promise.reject(new Error("away"));
  await rejects(
    hold.during([3], 0, async () => RECORD, fail, NOTHING),
    Error,
  );
  assert.equal(sent.slice(-2), ["T1 release-requests", "TD release-requests"]);
});

test.run();

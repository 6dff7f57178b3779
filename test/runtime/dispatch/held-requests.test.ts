// Requests that wait for a cut of slots: those for its keys and those for all partitions, queries
// only where the contents are mixed. All others go on.

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SlotMap } from "../../../runtime/base/slot-map.js";
import type { Dispatch } from "../../../runtime/dispatch/dispatch-call.js";
import type { ForwardedRequest } from "../../../runtime/dispatch/forwarded-request.js";
import { HeldRequests } from "../../../runtime/dispatch/held-requests.js";
import type { Matrix } from "../../../runtime/dispatch/matrix.js";
import { makeDispatch } from "./support/call-owner.js";
import { makeRequest } from "./support/make-request.js";

const SLOTS = new SlotMap({ count: 16, runs: [[0, 0]] });
const MOVING = SLOTS.slotOf("moving");
const FREE = ["a", "b", "c", "d"].find((key) => SLOTS.slotOf(key) !== MOVING)!;
const HOLD = { slots: [MOVING], withQueries: false, drainMs: 0 };

const test = suite("held requests");

class Owner {
  readonly matrix = { slots: SLOTS } as unknown as Matrix;
  readonly sent: string[] = [];
  executing: ForwardedRequest[] = [];

  isReadonly({ path }: ForwardedRequest): boolean {
    return path === "/read";
  }

  dispatch({ request }: Dispatch): void {
    this.sent.push(request.path);
  }

  running(): ForwardedRequest[] {
    return this.executing;
  }
}

function waiting(heldRequests: HeldRequests): string[] {
  const requests = ["/read", "/change"].flatMap((path) => {
    return [undefined, "moving", FREE].map((key) => makeRequest(path, key ? { key } : {}));
  });
  const names = requests.filter((request) => heldRequests.mustWait(request));
  return names.map(({ path, key }) => `${path} ${key === FREE ? "free" : key}`);
}

test("holds changes first, then queries as well, but no requests for other keys", async () => {
  const heldRequests = new HeldRequests(new Owner());
  assert.equal(waiting(heldRequests), []);
  await heldRequests.hold(HOLD);
  assert.equal(waiting(heldRequests), ["/change null", "/change moving"]);
  await heldRequests.hold({ ...HOLD, withQueries: true });
  assert.equal(waiting(heldRequests), [
    "/read null",
    "/read moving",
    "/change null",
    "/change moving",
  ]);
  heldRequests.release();
  assert.equal(waiting(heldRequests), []);
});

test("a hold waits only for running requests that it would delay", async () => {
  const owner = new Owner();
  const heldRequests = new HeldRequests(owner);
  owner.executing = [makeRequest("/change", { key: FREE }), makeRequest("/read")];
  assert.is(await heldRequests.hold({ ...HOLD, drainMs: 60_000 }), 0);
  owner.executing.push(makeRequest("/change", { key: "moving" }));
  assert.is(await heldRequests.hold(HOLD), 1);
  const drained = heldRequests.hold({ ...HOLD, drainMs: 60_000 });
  owner.executing.pop();
  assert.is(await drained, 0);
  heldRequests.release();
});

test("held requests are sent in order when the hold ends", async () => {
  const owner = new Owner();
  const heldRequests = new HeldRequests(owner);
  await heldRequests.hold(HOLD);
  for (const path of ["/a", "/b"]) assert.ok(heldRequests.push(makeDispatch(path)));
  assert.equal(owner.sent, []);
  heldRequests.release();
  assert.equal(owner.sent, ["/a", "/b"]);
  assert.not.ok(heldRequests.mustWait(makeRequest("/change")));
});

test("a hold ends by itself, however long the cut takes", async () => {
  const owner = new Owner();
  const heldRequests = new HeldRequests(owner, 20);
  await heldRequests.hold(HOLD);
  assert.ok(heldRequests.push(makeDispatch("/a")));
  while (owner.sent.length === 0) await delay(5);
  assert.not.ok(heldRequests.mustWait(makeRequest("/change")));
});

test.run();

// Which refusals are listed, and which are counted.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RefusalQuota } from "../../../runtime/engine/refusal-quota.js";

const test = suite("refusal quota");

const take = (quota: RefusalQuota, client: string, status: number, count: number): number => {
  let listed = 0;
  for (let index = 0; index < count; index++) if (quota.take(client, status)) listed++;
  return listed;
};

test("counts the refusals of a client with one status after the first ten", () => {
  const quota = new RefusalQuota();
  assert.is(take(quota, "a", 401, 5000), 10);
  assert.is(take(quota, "a", 429, 12), 10);
  assert.is(take(quota, "b", 401, 3), 3);
  assert.equal(quota.reset(), [
    { status: 401, client: "a", refusals: 4990 },
    { status: 429, client: "a", refusals: 2 },
  ]);
});

test("starts again after a reset", () => {
  const quota = new RefusalQuota();
  take(quota, "a", 401, 50);
  quota.reset();
  assert.is(take(quota, "a", 401, 50), 10);
  assert.equal(quota.reset(), [{ status: 401, client: "a", refusals: 40 }]);
  assert.equal(quota.reset(), []);
});

test("lists 100 refusals of all clients, and counts those of further clients together", () => {
  const quota = new RefusalQuota();
  let listed = 0;
  for (let client = 0; client < 10_000; client++) listed += take(quota, `c${client}`, 403, 2);
  assert.is(listed, 100);
  const counted = quota.reset();
  assert.is(counted.length, 51);
  assert.is(
    counted.reduce((sum, { refusals }) => sum + refusals, 0),
    20_000 - 100,
  );
  assert.equal(counted.at(-1), { status: 403, client: null, refusals: 19_800 });
});

test.run();

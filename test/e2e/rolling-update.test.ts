// A rolling update under load: no request is lost, the next run completes an interrupted one, and
// no partition is left without a replica.
// limit: 120 s
// builds examples
// takes 10 s

import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { UpSystem } from "./support/system.js";

const test = suite("rolling update");
const PROJECT = join(packageRoot(), "examples", "matrix");
const ROWS = [{ partitions: ["S1.1", "S1.2"] }, { partitions: ["S2.1", "S2.2"] }];
const DESCRIPTOR = {
  common: { type: "search", "s-in": true },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    "S1.1": { hport: 9110 },
    "S1.2": { hport: 9120 },
    "S2.1": { hport: 9210 },
    "S2.2": { hport: 9220 },
  },
  topology: { dispatch: { TD: ROWS } },
};

let system: UpSystem;
test.before(async () => {
  system = await UpSystem.start(PROJECT, DESCRIPTOR);
});
test.after(() => system.close());

test("loses no request", async () => {
  let isDone = false;
  const statuses = new Map<number, number>();
  const client = async (): Promise<void> => {
    while (!isDone) {
      const { status } = await system.get("TD", "/svc/plugin/mountains?n=1");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const clients = [client(), client()];
  const { code, out, err } = await system.admin("rolling-update", "--pause", "0");
  isDone = true;
  await Promise.all(clients);
  assert.is(code, 0, out + err);
  assert.match(out, /^(S\d\.\d: serves build [0-9a-f]{16}\n){4}$/);
  assert.equal([...statuses.keys()], [200]);
  const again = await system.admin("rolling-update", "--build", PROJECT);
  assert.match(again.out, /^(S\d\.\d: is up to date\n){4}$/);
});

async function takeOut(id: string, reason: string): Promise<void> {
  const { json } = await system.get(id, "/svc/builtin/ADMIN_GetAuthToken", 1);
  const { authtoken } = json.response as { authtoken: string };
  const query = new URLSearchParams({ authtoken, reason });
  await system.get(id, `/svc/builtin/ADMIN_ServiceOut?${query}`, 1);
}

test("puts instances of a killed run back in service, but not those of an operator", async () => {
  await takeOut("S1.1", "rolling update");
  await takeOut("S2.2", "operator");
  const { code, out } = await system.admin("rolling-update", "S1.1,S2.2", "--pause", "0");
  assert.is(code, 0, out);
  assert.match(out, /^S1\.1: serves build \w+$/m);
  assert.match(out, /^S2\.2: serves build \w+ and stays out of service \(operator\)$/m);
  assert.is((await system.get("S1.1", "/svc/hc")).status, 200);
  assert.is((await system.get("S2.2", "/svc/hc")).status, 503);
});

test("refuses to update the last replica of a partition", async () => {
  const { code, err } = await system.admin("rolling-update", "S1.2");
  assert.equal(
    [code, /SVC3119: Too few S-IN .* no replica serves partition 1/.test(err)],
    [1, true],
  );
  assert.is((await system.get("S1.2", "/svc/hc")).status, 200);
});

test.run();

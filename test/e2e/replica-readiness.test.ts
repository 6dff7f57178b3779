// A replica answers only when it has everything that its provider had: also after it has lost its
// disk. Operators cannot put it into service before, unless by force.
// limit: 180 s
// takes 20 s

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "../runtime/interconnect/support/instance.js";
import { rounds } from "../support/rounds.js";
import { assertFiring } from "./support/firing-alerts.js";
import { ProjectServers } from "./support/project-servers.js";
import { get, type RunningServer } from "./support/server.js";

const test = suite("readiness of a replica");
const VERTICES = 30_000;
const PLUGINS = `
import { Graph, type int, type PluginRequest } from "svc-server";

/** @plugin */
export function fill(_request: PluginRequest, count: int): int {
  const graph = new Graph("things");
  for (let n = 0; n < count; n++) graph.createVertex("v" + n);
  return graph.order;
}

/** @plugin */
export function order(_request: PluginRequest): int {
  return new Graph("things").order;
}
`;

const project = new ProjectServers(test, { "plugins/things.ts": PLUGINS }, "--save-every", "0");

async function operate({ port }: RunningServer, operation: string, query = ""): Promise<unknown> {
  const admin = port + 1;
  const token = await get(admin, "/svc/builtin/ADMIN_GetAuthToken");
  const { authtoken } = token.json.response as { authtoken: string };
  const path = `/svc/builtin/ADMIN_${operation}?authtoken=${authtoken}${query}`;
  return (await get(admin, path)).json.response;
}

interface State {
  readonly ready: boolean;
  readonly replica: { readonly state: string };
  readonly "service-out-reason": string | null;
}

async function state({ port }: RunningServer): Promise<State> {
  return (await get(port + 1, "/svc/nodestat")).json.response as State;
}

/** Calls the plugin until it responds. Each response must be complete. */
async function untilServing({ port }: RunningServer, expected = VERTICES): Promise<void> {
  for (;;) {
    const { status, json } = await get(port, "/svc/plugin/order");
    if (status === 200) {
      assert.is(json.response, expected);
      return;
    }
    assert.is(status, 503);
    await delay(5);
  }
}

test("reports readiness only after it has caught up", async () => {
  const txPort = await freePort();
  const provider = await project.start("a", "--attach", `127.0.0.1:${txPort}`);
  assert.is((await get(provider.port, `/svc/plugin/fill?count=${VERTICES}`)).status, 200);
  let replica = await project.start("b", "--tx-port", `${txPort}`);
  await untilServing(replica);
  assert.equal((await state(replica)).replica.state, "caught-up");
  for (let round = 0; round < rounds(2); round++) {
    // The disk is lost, and another one is empty.
    await project.kill(replica);
    rmSync(join(project.folder, "b"), { recursive: true });
    replica = await project.start("b", "--tx-port", `${txPort}`, "--port", `${replica.port}`);
    await untilServing(replica);
  }
  // It serves on without its provider; after a start, a moment later.
  await project.kill(provider);
  while ((await state(replica)).replica.state !== "orphan") await delay(50);
  await untilServing(replica);
  await project.kill(replica);
  replica = await project.start("b", "--tx-port", `${txPort}`);
  assert.is((await state(replica))["service-out-reason"], "waiting for a provider");
  await untilServing(replica);
  assert.is((await state(replica)).replica.state, "orphan");
  const { text } = await get(replica.port + 1, "/metrics");
  assertFiring(text, text, ["SvcReplicaOrphan"]);
});

test("does not go into service before it has caught up, unless forced", async () => {
  const replica = await project.start("c", "--tx-port", `${await freePort()}`);
  const { ready, "service-out-reason": reason } = await state(replica);
  assert.equal([ready, reason], [false, "waiting for a provider"]);
  for (const port of [replica.port, replica.port + 1]) {
    assert.is((await get(port, "/svc/hc")).status, 503);
  }
  const { text } = await get(replica.port + 1, "/metrics");
  assertFiring(text, text, ["SvcOutOfService", "SvcReplicaNotCaughtUp"]);
  assert.match(String(await operate(replica, "ServiceIn")), /SVC3401.*waiting for a provider/);
  assert.is((await get(replica.port, "/svc/hc")).status, 503);
  assert.equal(await operate(replica, "ServiceIn", "&force=1"), { action: "service_in" });
  assert.is((await get(replica.port, "/svc/hc")).status, 200);
  assert.match(replica.log(), /Service-IN forced: waiting for a provider/);
});

test.run();

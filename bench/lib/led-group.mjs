// A group with leadership, for benchmarks of faults: three members, each on its own machine, and a
// dispatcher and nats-server on this one. Clients send requests through the dispatcher.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Lab } from "./machines.mjs";
import { build, makeProject } from "./project.mjs";
import { SVC } from "./server.mjs";
import { importTestSupport } from "./test-support.mjs";

export const IDS = ["B1", "S1", "S2"];
const [HPORT, TPORT, FRONT, ENGINE] = [9100, 9102, 9990, 4222];
const ASK_MS = 1000;
const { SHOP_PLUGINS, get, until } = await importTestSupport(
  ...["change-clients", "server", "system"],
);

/** Runs a benchmark with a group, and prints the last lines of all logs if it fails. */
export async function withLedGroup(run) {
  const lab = await Lab.create("nats-server");
  // All files are in memory, so that other work does not delay writes.
  process.env.TMPDIR = lab.folder;
  try {
    const group = new LedGroup(lab);
    await group.start();
    await run(group);
  } catch (error) {
    console.error(lab.logs());
    throw error;
  } finally {
    lab.close();
  }
}

class LedGroup {
  /** By id. */
  machines = new Map();
  /** The process of nats-server. */
  engine;
  #lab;
  #project;
  #file;
  #env;

  constructor(lab) {
    this.#lab = lab;
    this.#project = makeProject({
      "plugins/shop.ts": SHOP_PLUGINS,
      "svc.config.ts": 'export default { durability: "full", executors: 1 };\n',
    });
    this.#file = join(this.#project, "system.json");
    this.#env = {
      ...{ SVC_TX_KEY: "a-key-of-all-members", SVC_ADMIN_KEY: "a-key-of-all-operators" },
      ...{ SVC_TRUSTED_NETWORKS: lab.network, SVC_DISPATCHER_NETWORKS: lab.network },
    };
  }

  /** Resolves once a member leads, and all others are synced. */
  async start() {
    build(this.#project);
    for (const id of IDS) this.machines.set(id, await this.#lab.add(id));
    this.#writeDescriptor();
    const { host, folder } = this.#lab;
    const store = join(folder, "nats");
    const words = ["-a", host, "-p", `${ENGINE}`, "-js", "-sd", store];
    this.engine = this.#lab.keep("nats", ["nats-server", ...words]);
    this.#lab.keep("TD", this.#wordsFor("TD", join(folder, "td")), this.#env);
    for (const [id, machine] of this.machines) {
      machine.keep(this.#wordsFor(id, machine.disk), this.#env);
    }
    await this.leading();
  }

  /** Sends a request to the dispatcher. */
  send = (path, init) => get(FRONT, path, init, this.#lab.host);

  /** The member that leads, once all others are synced. */
  async leading() {
    let leader;
    await until(async () => {
      const states = await Promise.all(IDS.map((id) => this.#stateOf(id).catch(() => null)));
      const at = states.findIndex((group) => group?.role === "leading");
      leader = IDS[at];
      return states[at]?.synced.length === IDS.length - 1;
    });
    return leader;
  }

  async contents(id) {
    const { json } = await get(HPORT, "/svc/plugin/all", {}, this.machines.get(id).host);
    return json.response.sort();
  }

  /** As `svc admin handover` does, whose start would take a core from the members. */
  async handOver(from, to) {
    const { authtoken } = (await this.#operate(from, "GetAuthToken?")).response;
    const [result] = (
      await this.#operate(from, `Console?graph=_system&authtoken=${authtoken}`, `HandOver ${to}`)
    ).response.result;
    if (result !== null && typeof result !== "object") throw new Error(result);
  }

  async #operate(id, operation, body) {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "x-svc-admin-key": this.#env.SVC_ADMIN_KEY };
    const { host } = this.machines.get(id);
    const path = `/svc/builtin/ADMIN_${operation}`;
    const { json, text } = await get(HPORT + 1, path, { method, headers, body }, host);
    if (json.status !== "OK") throw new Error(text);
    return json;
  }

  async #stateOf(id) {
    const init = { signal: AbortSignal.timeout(ASK_MS) };
    const { host } = this.machines.get(id);
    return (await get(HPORT + 1, "/svc/nodestat", init, host)).json.response.group;
  }

  #writeDescriptor() {
    const members = [...this.machines].map(([id, { host }]) => [
      id,
      { type: id === "B1" ? "builder" : "search", host, hport: HPORT, tport: TPORT, graph: "shop" },
    ]);
    const { host } = this.#lab;
    const descriptor = {
      graphs: ["shop"],
      common: { "s-in": true },
      leadership: { engine: `nats://${host}:${ENGINE}/svc-lease` },
      instances: { TD: { type: "dispatch", host, hport: FRONT }, ...Object.fromEntries(members) },
      topology: { transaction: { B1: ["S1", "S2"] }, dispatch: { TD: [{ partitions: ["@B1"] }] } },
    };
    writeFileSync(this.#file, JSON.stringify(descriptor));
  }

  #wordsFor(id, root) {
    const where = ["--descriptor", this.#file, "--instance", id, "--root", root];
    return [process.execPath, SVC, "serve", this.#project, ...where];
  }
}

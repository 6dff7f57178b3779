// Updates a system under load from one release to another as docs/guides/upgrading.md describes:
// dispatchers, then the members of a group, then its leader. For a while, instances of both
// releases run, with leaders of each. No request fails, and no acknowledged change is lost or
// repeated.
// limit: 300 s
// takes 30 s
// starts processes

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { SHOP_PLUGINS } from "../e2e/support/change-clients.js";
import { get } from "../e2e/support/server.js";
import { type AdminResult, ownHost, until } from "../e2e/support/system.js";
import { NatsServers } from "../runtime/interconnect/support/nats.js";

const DISPATCHERS = ["TD1", "TD2"] as const;
const MEMBERS = ["B1", "S1", "S2"] as const;
const PORTS = { TD1: 9980, TD2: 9990, B1: 9100, S1: 9110, S2: 9120 } as const;
type Id = keyof typeof PORTS;
/** Between two requests of a client, so that the clients take little of the CPU. */
const PAUSE_MS = 20;
const SETTINGS = 'export default { durability: "full", executors: 1 };\n';
const KEYS = { SVC_TX_KEY: "a key that nobody else has", SVC_ADMIN_KEY: "a-key-of-operators" };

/** The project, built by one release. */
class Release {
  readonly project: string;
  readonly standalone: string;
  readonly #bin: string;

  constructor(folder: string, root: string) {
    this.project = join(root, "project");
    this.standalone = join(root, "standalone");
    this.#bin = join(folder, "bin/svc.cjs");
    mkdirSync(join(this.project, "plugins"), { recursive: true });
    mkdirSync(join(this.project, "node_modules"));
    symlinkSync(folder, join(this.project, "node_modules/svc-server"), "dir");
    writeFileSync(join(this.project, "package.json"), '{ "name": "shop", "type": "module" }\n');
    writeFileSync(join(this.project, "svc.config.ts"), SETTINGS);
    writeFileSync(join(this.project, "plugins/shop.ts"), SHOP_PLUGINS);
  }

  async build(): Promise<void> {
    const { code, out } = await this.svc("build", this.project, "--standalone", this.standalone);
    assert.is(code, 0, out);
  }

  async svc(...words: string[]): Promise<AdminResult> {
    const child = spawn(process.execPath, [this.#bin, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...KEYS },
    });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        out += text;
      });
    }
    const [code] = (await once(child, "close")) as [number | null];
    return { code, out, err: "" };
  }
}

/** Restarts the processes of all instances, as the unit of `svc admin manifest systemd` does. */
class Platform {
  readonly #children = new Map<Id, ChildProcess>();
  /** Where each running process was started from. */
  readonly started = new Map<Id, Release>();
  #isOver = false;
  log = "";

  constructor(
    readonly root: string,
    readonly host: string,
    public installed: Release,
  ) {}

  start(id: Id): void {
    const data = join(this.root, id);
    mkdirSync(data, { recursive: true });
    const words = ["--instance", id, "--descriptor", join(this.root, "system.json")];
    const serve = join(this.installed.standalone, "serve.mjs");
    const child = spawn(process.execPath, [serve, ...words, "--root", data, "--drain", "1"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...KEYS },
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.log += `${id} ${text}`;
    });
    this.#children.set(id, child);
    this.started.set(id, this.installed);
    child.once("exit", () => {
      if (!this.#isOver) setTimeout(() => this.start(id), 100);
    });
  }

  get(id: Id, path: string, port: 0 | 1 = 0, init: RequestInit = {}) {
    return get(PORTS[id] + port, path, init, this.host);
  }

  async nodestat(id: Id): Promise<Status> {
    return (await this.get(id, "/svc/nodestat", 1)).json.response as Status;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const child of this.#children.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}

interface Status {
  readonly digest: string;
  readonly group: { readonly role: string; readonly synced: readonly string[] };
}

/** Clients that send changes and reads until they are stopped. */
class Load {
  readonly acknowledged: string[] = [];
  readonly counts: number[] = [];
  readonly failures: string[] = [];
  /** A load balancer would choose it. */
  dispatcher: Id = "TD1";
  #isOver = false;
  #names = 0;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(readonly platform: Platform) {}

  start(): void {
    const kinds = [() => this.#put(), () => this.#sell(), () => this.#read()];
    const client = async (send: () => Promise<void>) => {
      for (; !this.#isOver; await delay(PAUSE_MS)) {
        await send().catch((error) => this.failures.push(String(error.cause)));
      }
    };
    this.#ended = Promise.all([...kinds, ...kinds].map(client));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  /** Resolves once as many further changes were acknowledged. */
  async goOn(changes: number): Promise<void> {
    const until = this.acknowledged.length + changes;
    await untilHolds(() => this.acknowledged.length >= until);
  }

  async #put(): Promise<void> {
    const id = `v${this.#names++}`;
    const isSent = await this.#send(`put?id=${id}`, { method: "POST", body: "" });
    if (isSent !== null) this.acknowledged.push(id);
  }

  async #sell(): Promise<void> {
    const headers = { "Idempotency-Key": `"${this.#names++}"` };
    const count = await this.#send("sell", { method: "POST", body: "", headers });
    if (count !== null) this.counts.push(count);
  }

  async #read(): Promise<void> {
    const id = this.acknowledged[0];
    if (id === undefined) return void (await this.#send("has?id=nobody", {}));
    if ((await this.#send(`has?id=${id}`, {})) === 0) this.failures.push(`${id} is not there`);
  }

  async #send(request: string, init: RequestInit): Promise<number | null> {
    const path = `/svc/plugin/${request}`;
    const { status, text, json } = await this.platform.get(this.dispatcher, path, 0, init);
    if (status === 200) return (json.response as { hitcount: number }).hitcount;
    this.failures.push(`${request}: ${status} ${text}`);
    return null;
  }
}

function untilHolds(holds: () => boolean): Promise<void> {
  return until(async () => holds());
}

const root = mkdtempSync(join(tmpdir(), "svc-releases-"));
const earlier = new Release(process.env.EARLIER_PACKAGE!, join(root, "earlier"));
const present = new Release(packageRoot(), join(root, "present"));
const platform = new Platform(root, ownHost(), earlier);
const load = new Load(platform);
const test = suite("mixed releases");
let nats: NatsServers;

/** The member that leads, with the others synced. */
async function leader(): Promise<Id> {
  let leaderId: Id | undefined;
  await until(async () => {
    const states = await Promise.all(MEMBERS.map((id) => platform.nodestat(id)));
    const index = states.findIndex(
      ({ group }) => group.role === "leading" && group.synced.length === MEMBERS.length - 1,
    );
    leaderId = MEMBERS[index];
    return leaderId !== undefined;
  });
  return leaderId!;
}

async function admin(...words: string[]): Promise<void> {
  const where = ["--descriptor", join(root, "system.json"), "--project", present.project];
  const { code, out } = await present.svc("admin", ...words, ...where);
  assert.is(code, 0, `${out}\n${platform.log}`);
}

test.before(async () => {
  nats = await NatsServers.start(1);
  const partitions = [{ partitions: ["@B1"] }];
  const member = (id: Id) => ({ hport: PORTS[id], tport: PORTS[id] + 2, graph: "shop" });
  const descriptor = {
    graphs: ["shop"],
    common: { "s-in": true, host: platform.host },
    leadership: { engine: nats.uri("svc-lease") },
    instances: {
      TD1: { type: "dispatch", hport: PORTS.TD1 },
      TD2: { type: "dispatch", hport: PORTS.TD2 },
      B1: { type: "builder", ...member("B1") },
      S1: { type: "search", ...member("S1") },
      S2: { type: "search", ...member("S2") },
    },
    topology: {
      transaction: { B1: ["S1", "S2"] },
      dispatch: { TD1: partitions, TD2: partitions },
    },
  };
  writeFileSync(join(root, "system.json"), JSON.stringify(descriptor));
  await earlier.build();
  await present.build();
  for (const id of [...MEMBERS, ...DISPATCHERS]) platform.start(id);
  for (const id of DISPATCHERS)
    await until(async () => (await platform.get(id, "/svc/hc")).status === 200);
  await leader();
});
test.after(async () => {
  await load.stop();
  await platform.close();
  await nats.stop();
  rmSync(root, { recursive: true, force: true });
});

async function responds(id: Id): Promise<boolean> {
  return (await platform.get(id, "/svc/hc")).status === 200;
}

test("dispatchers of this release serve members of the earlier one", async () => {
  load.start();
  await load.goOn(20);
  platform.installed = present;
  for (const id of DISPATCHERS) {
    load.dispatcher = DISPATCHERS.find((dispatcherId) => dispatcherId !== id)!;
    await load.goOn(10);
    await admin("stop", id, "--yes");
    await until(async () => platform.started.get(id) === present && (await responds(id)));
  }
  await load.goOn(20);
  assert.equal(load.failures, []);
});

test("members of both releases lead each other", async () => {
  const first = await leader();
  const [updated] = MEMBERS.filter((id) => id !== first);
  await admin("rolling-update", updated!, "--restart", "--pause", "0");
  assert.is(platform.started.get(updated!), present);
  for (const [from, to] of [
    [first, updated!],
    [updated!, first],
  ] as const) {
    await leader();
    await admin("handover", from, to);
    assert.is(await leader(), to);
    await load.goOn(50);
  }
  assert.equal(load.failures, []);
});

test("the rest of the group follows, its leader last", async () => {
  await admin("rolling-update", "--restart", "--pause", "0");
  for (const id of MEMBERS) assert.is(platform.started.get(id), present, id);
  await leader();
  await load.goOn(50);
  await load.stop();
  assert.equal(load.failures, []);
  const counts = load.counts.sort((a, b) => a - b);
  assert.equal(
    counts,
    Array.from(counts, (_count, index) => index + 1),
  );
  await leader();
  const digests = new Set<string>();
  for (const id of MEMBERS) digests.add((await platform.nodestat(id)).digest);
  assert.is(digests.size, 1);
  const { json } = await platform.get("B1", "/svc/plugin/all");
  assert.equal((json.response as string[]).sort(), load.acknowledged.sort());
});

test.run();

// Changes of graphs survive a killed process through the transaction log, which may be torn,
// corrupt, switched off, or contain erased graphs.
// limit: 120 s
// takes 15 s

import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { verifyInProcess } from "../../runtime/interconnect/archive/verify-apart.js";
import { rounds } from "../support/rounds.js";
import { assertFiring } from "./support/firing-alerts.js";
import { ServedProject } from "./support/served-project.js";
import { get, svc } from "./support/server.js";

const test = suite("transaction log");
const PLUGINS = `
import { Graph, type int, type PluginRequest, type str, system } from "svc-server";

/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, from: int, count: int = 1): int {
  for (let n = from; n < from + count; n++) {
    graph.createVertex("note " + n, { type: "note", properties: { n, text: "é " + n } });
    graph.connect("all", ["has", 5, n], "note " + n);
  }
  return graph.size;
}

/** @plugin @graph notes */
export async function putDurably(request: PluginRequest, graph: Graph, from: int): Promise<int> {
  put(request, graph, from);
  await system.waitDurable();
  return graph.size;
}

/** In an executor that may have opened no other graph. @plugin */
export async function settle(_request: PluginRequest): Promise<boolean> {
  new Graph("settled", { local: true });
  await system.waitDurable();
  return true;
}

/** Number of the notes, and how many of 1 to n are right. @plugin @graph notes */
export function take(_request: PluginRequest, graph: Graph, n: int): int[] {
  let right = 0;
  for (let index = 1; index <= n; index++) {
    if (!graph.hasVertex("note " + index)) continue;
    const isRight = graph.getVertex("note " + index).getProperty("text") === "é " + index;
    if (isRight && graph.arcValue("all", "has", "note " + index) === index) right++;
  }
  return [graph.size, right];
}

/** Moves a unit from one graph to another. @plugin */
export function move(_request: PluginRequest): int {
  const [shop, stock] = [new Graph("shop"), new Graph("stock")];
  return system.transaction([shop, stock], (shop, stock) => {
    shop.count("sold", "units", "total");
    return stock.count("stock", "units", "total", -1);
  });
}

/** Units of both graphs. @plugin */
export function units(_request: PluginRequest): int[] {
  const read = (name: str, id: str): int =>
    new Graph(name).hasVertex(id) ? (new Graph(name).arcValue(id, "units", "total") ?? 0) : 0;
  return [read("shop", "sold"), read("stock", "stock")];
}

/** @plugin @graph sales */
export function sell(_request: PluginRequest, graph: Graph): int {
  return graph.count("sold", "units", "total");
}

/** @plugin */
export function fillStock(_request: PluginRequest): int {
  return new Graph("stock").count("stock", "units", "total", 1000000);
}

/** Changes another graph. @plugin */
export function other(_request: PluginRequest, name: str, id: str, local: boolean = false): int {
  const graph = new Graph(name, { local });
  graph.createVertex(id);
  return graph.order;
}

/** @plugin */
export function orderOf(_request: PluginRequest, name: str): int {
  return new Graph(name).order;
}

/** @plugin */
export function erase(_request: PluginRequest, name: str): boolean {
  new Graph(name).erase();
  return true;
}

/** @plugin */
export function close(_request: PluginRequest, name: str): boolean {
  return system.deleteGraph(name);
}

/** @plugin */
export function setting(_request: PluginRequest, key: str): str | null {
  const old = system.getProperty(key, null);
  system.setProperty(key, "set");
  return old as str | null;
}
`;

/** Number of kills while requests are answered. */
const ROUNDS = rounds(1);

let project: ServedProject;

test.before(async () => {
  project = await ServedProject.build({ "plugins/notes.ts": PLUGINS });
});
test.after(() => project.remove());
test.after.each(() => project.kill());

const start = (root: string, ...options: string[]) =>
  project.start(root, "--save-every", "0", ...options);
const call = (plugin: string) => project.call(plugin);
const kill = () => project.kill();

/** Until all changes are flushed, which takes 10 ms without a request for it. */
async function flushed(): Promise<void> {
  assert.is(await call("settle"), true);
}

/** The segment that is being written. */
function lastSegment(root: string): string {
  const folder = join(root, "_txlog");
  const names = readdirSync(folder).filter((name) => name.endsWith(".seg"));
  return join(folder, names.sort().at(-1)!);
}

test("replays changes after kills and after a stop, and truncates a torn write", async () => {
  await start("killed");
  await call("put?from=1&count=500");
  assert.is(await call("other?name=mine&id=a&local=true"), 1);
  assert.is(await call("other?name=ours&id=a"), 1);
  assert.is(await call("setting?key=k"), null);
  await call("other?name=again&id=a");
  await call("erase?name=again");
  await call("other?name=closed&id=a");
  assert.is(await call("close?name=closed"), true);
  assert.is(await call("other?name=closed&id=b"), 2);
  await call("close?name=closed");
  await flushed();
  await kill();

  let root = await start("killed");
  assert.equal(await call("take?n=500"), [500, 500]);
  assert.is(await call("orderOf?name=mine"), 1);
  assert.is(await call("orderOf?name=ours"), 1);
  assert.is(await call("setting?key=k"), "set");
  const shared = readFileSync(lastSegment(root), "latin1");
  assert.ok(shared.includes('"ours"') && !shared.includes('"mine"'));
  const memory = await get(project.server.port, "/svc/builtin/memory?graph=*");
  const names = Object.keys(memory.json.response as object);
  assert.not.ok(names.includes("again"), "an erased graph does not reappear, not even empty");
  assert.ok(names.includes("ours"));
  assert.is(await call("other?name=again&id=b"), 1, "erased");
  assert.is(await call("orderOf?name=closed"), 2, "as it was when it was closed");
  await call("put?from=501&count=500");
  await flushed();
  await kill();

  await start("killed");
  assert.equal(await call("take?n=1000"), [1000, 1000]);
  assert.is(await call("other?name=again&id=c"), 2);
  // Once more, after a stop that saves everything.
  await project.server.stop();
  root = await start("killed");
  assert.equal(await call("take?n=1000"), [1000, 1000]);
  assert.is(await call("putDurably?from=1001"), 1001);
  await kill();

  appendFileSync(lastSegment(root), Buffer.from("SVCF and something"));
  await start("killed");
  assert.equal(await call("take?n=1001"), [1001, 1001]);
  assert.match(project.server.log(), /log: discarded 18 bytes of a torn write/);
  await call("put?from=1002&count=10");
  await flushed();
  await kill();
  await start("killed");
  assert.equal(await call("take?n=1011"), [1011, 1011]);
});

/** Adds notes until the server is killed. */
class Notes {
  count = 0;

  async add(): Promise<void> {
    for (;;) {
      const { json } = await get(project.server.port, `/svc/plugin/put?from=${this.count + 1}`);
      if (json.status !== "OK") return;
      this.count++;
    }
  }

  /** The last note may have been added without an acknowledgment. */
  async check(): Promise<void> {
    const [size, right] = (await call(`take?n=${this.count + 1}`)) as [number, number];
    assert.ok(size === this.count || size === this.count + 1, `${size} of ${this.count}`);
    assert.is(right, size);
    this.count = size;
  }
}

/** Sells units with a key each until the server is killed. */
class Sales {
  /** Response by key; null without one, or after a kill between the change and its response. */
  readonly sent = new Map<string, number | null>();

  async sell(): Promise<void> {
    for (;;) await this.#send(`"${this.sent.size}"`);
  }

  async #send(key: string): Promise<void> {
    this.sent.set(key, null);
    this.sent.set(key, await this.#request(key));
  }

  async #request(key: string): Promise<number | null> {
    const headers = { "Idempotency-Key": key };
    const init = { method: "POST", body: "", headers };
    const { status, json, text } = await get(project.server.port, "/svc/plugin/sell", init);
    if (status === 500 && text.includes("SVC3407")) return null;
    assert.is(status, 200, text);
    return json.response as number;
  }

  /** Requires that each request was executed once, and that repeated ones get the same response. */
  async check(): Promise<void> {
    for (const [key, response] of this.sent) {
      const again = await this.#request(key);
      assert.is(again, response ?? again);
      this.sent.set(key, again);
    }
    const responses = [...this.sent.values()].filter((response) => response !== null);
    assert.is(new Set(responses).size, responses.length);
    const last = `"last ${this.sent.size}"`;
    await this.#send(last);
    assert.is(this.sent.get(last), this.sent.size);
  }
}

test("with `full`, a kill loses no acknowledged change and repeats no keyed request", async () => {
  const [notes, sales] = [new Notes(), new Sales()];
  await start("full", "--durability", "full");
  for (let round = 0; round < ROUNDS; round++) {
    const before = { notes: notes.count, sales: sales.sent.size };
    const clients = [notes.add(), sales.sell(), sales.sell(), sales.sell()];
    const changing = Promise.allSettled(clients);
    while (notes.count === before.notes || sales.sent.size < before.sales + 10) await delay(10);
    await delay(Math.random() * 300);
    project.server.process.kill("SIGKILL");
    await changing;
    await kill();
    await start("full", "--durability", "full");
    await notes.check();
    await sales.check();
  }
});

test("keeps transactions over two graphs whole in a kill at any moment", async () => {
  await start("joint");
  await call("fillStock");
  await flushed();
  let sold = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    const moving = (async () => {
      for (;;) {
        const { json } = await get(project.server.port, "/svc/plugin/move");
        if (json.status !== "OK") return;
        moved++;
      }
    })();
    while (moved === 0) await delay(10);
    await flushed();
    await delay(Math.random() * 300);
    project.server.process.kill("SIGKILL");
    await moving.catch(() => undefined);
    await kill();
    await start("joint");
    const [now, left] = (await call("units")) as [number, number];
    assert.is(now + left, 1_000_000);
    assert.ok(now > sold, `${now} after ${sold}`);
    sold = now;
  }
});

test("prevents a start when corrupt", async () => {
  const root = await start("damaged");
  await call("put?from=1&count=10");
  await flushed();
  await call("put?from=11&count=10");
  await flushed();
  await kill();
  const file = lastSegment(root);
  const bytes = readFileSync(file);
  bytes[400]! ^= 1;
  writeFileSync(file, bytes);
  let text = "";
  try {
    await start("damaged");
  } catch (error) {
    text = (error as Error).message;
  }
  assert.match(text, /SVC2500/);
  assert.match(text, /log is corrupt: 0{15}1\.seg, byte \d+: corrupt frame/);
  // Changes before the corruption can be recovered into a new folder.
  const checked = await svc("log", "check", root).catch((error) => error);
  assert.is(checked.code, 1);
  assert.match(
    checked.stdout,
    /_txlog: \d+ transactions in 1 segments, last: \d+\n {2}corrupt: 0{15}1\.seg, byte \d+: /,
  );
  const repaired = join(project.folder, "repaired");
  const { stdout } = await svc("log", "repair", root, repaired);
  assert.match(stdout, /recovered data is in/);
  const again = await svc("log", "repair", root, repaired).catch((error) => error);
  assert.match(again.stderr, /SVC3050: .* is not a new folder/);
  assert.match(
    (await svc("log", "check", repaired)).stdout,
    /_txlog: \d+ transactions in 1 segments/,
  );
  await start("repaired");
  const [, right] = (await call("take?n=20")) as [number, number];
  assert.ok(right < 20);
  await kill();
  // The old one is unchanged.
  bytes[400]! ^= 1;
  writeFileSync(file, bytes);
  await start("damaged");
  assert.equal(await call("take?n=20"), [20, 20]);
});

test("verifies a backup of it in another process", async () => {
  const { signal } = new AbortController();
  const backup = join(project.folder, "backup");
  const root = await start("backed-up");
  await call("put?from=1");
  await flushed();
  await svc("backup", root, "--to", backup);
  await verifyInProcess(backup, signal);
  rmSync(join(backup, "objects"), { recursive: true });
  const error = await verifyInProcess(backup, signal).catch(({ message }: Error) => message);
  assert.match(String(error), /SVC3420: .* is missing/);
});

test("loses unsaved changes when off, and replays an older log", async () => {
  const starts: number[] = [];
  const started = async (): Promise<string> => {
    const { text: metrics } = await get(project.server.port + 1, "/metrics");
    starts.push(Number(/^process_start_time_seconds (.+)$/m.exec(metrics)![1]));
    return metrics;
  };
  const root = await start("off", "--durability", "off");
  await call("put?from=1&count=10");
  const { status, text } = await get(project.server.port, "/svc/plugin/putDurably?from=11");
  assert.is(status, 500);
  assert.match(text, /transaction log is disabled/);
  await started();
  await kill();
  assert.not.ok(existsSync(join(root, "_txlog")));
  await start("off");
  assert.equal(await call("take?n=10"), [0, 0]);
  await call("put?from=1&count=10");
  await flushed();
  await started();
  await kill();
  await start("off", "--durability", "off");
  assert.equal(await call("take?n=10"), [10, 10]);
  await started();
  await kill();
  await start("off");
  assert.equal(await call("take?n=10"), [10, 10]);
  const last = await started();
  assertFiring(last, last, ["SvcRestarting"], { starts: starts.slice(0, -1) });
  // Large logs take minutes to write.
  assertFiring(last, last, ["SvcTransactionLogLarge"], {
    times: { svc_transaction_log_bytes: 2 ** 23 },
  });
  rmSync(root, { recursive: true, force: true });
});

test.run();

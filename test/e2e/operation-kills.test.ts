// Operators and instances that are killed, at any moment, in what operators do: the next run of the
// same command finishes it. `KILL_ROUNDS=n` looks longer, `SEED=n` at the same moments again.
// limit: 240 s

import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Random, SEED } from "../property/support/random.js";
import { fixture, svc } from "./support/server.js";
import { UpSystem } from "./support/system.js";

const test = suite(`operations under kills, SEED=${SEED}`);
const PROJECT = fixture("graph-services");
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 1);
/** About as long as a command takes. */
const MOST_MS = 700;
const DESCRIPTOR = {
  name: "Killed",
  graphs: ["people"],
  common: { "s-in": true },
  instances: {
    B1: { type: "builder", hport: 9100, graph: "people" },
    S1: { type: "search", hport: 9110, tport: 10110 },
  },
  topology: { transaction: { B1: ["S1"] } },
};

const random = new Random();
let system: UpSystem;
test.before(async () => {
  process.env.SVC_TX_KEY = "a key that nobody else has";
  await svc("build", PROJECT);
  system = new UpSystem(PROJECT, DESCRIPTOR);
  await system.up();
});
test.after(async () => {
  await system.close();
  delete process.env.SVC_TX_KEY;
});

interface Nodestat {
  readonly pid: number;
  readonly digest: string;
  readonly "graph-order": number;
  readonly "service-in": number;
  readonly subscribers: readonly { readonly status: string }[];
}

async function nodestat(id: string): Promise<Nodestat> {
  return (await system.get(id, "/svc/nodestat", 1)).json.response as Nodestat;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await delay(50);
}

async function feed(id: string): Promise<boolean> {
  return (await system.get(id, "/svc/plugin/feed")).status === 200;
}

async function areEqual(): Promise<boolean> {
  const [one, other] = [await nodestat("B1"), await nodestat("S1")];
  return one.digest === other.digest;
}

/** Its process, once it takes operations. */
async function there(id: string): Promise<number> {
  for (;;) {
    const pid = await nodestat(id).then(
      (shown) => shown?.pid,
      () => undefined,
    );
    if (pid !== undefined) return pid;
    await delay(50);
  }
}

interface Operation {
  readonly words: readonly [string, string, ...string[]];
  /** What has to be so for it to have something to do. */
  readonly before?: () => Promise<boolean>;
  /** What is so once it was done. */
  readonly done: () => Promise<boolean>;
}

const attached = async () => (await nodestat("B1")).subscribers[0]?.status === "CONNECTED";
const serves = async (id: string) => (await nodestat(id))["service-in"] === 1;

const OPERATIONS: readonly Operation[] = [
  {
    words: ["attach", "B1"],
    before: () => feed("B1"),
    done: async () => (await attached()) && areEqual(),
  },
  {
    words: ["truncate", "B1", "--yes"],
    before: () => feed("B1"),
    // An instance that was killed provides to nobody until it is told to again.
    done: async () => (await nodestat("B1"))["graph-order"] === 0,
  },
  { words: ["detach", "B1"], done: async () => (await nodestat("B1")).subscribers.length === 0 },
  { words: ["service-out", "S1"], done: async () => !(await serves("S1")) },
  { words: ["service-in", "S1"], done: () => serves("S1") },
  {
    words: ["restart-http", "B1"],
    done: async () => (await system.get("B1", "/svc/hc")).status === 200,
  },
];

/** Kills what a command has to do with after a while, and waits until all are back. */
async function disturb({ words }: Operation, victim: "operator" | "instance"): Promise<void> {
  const id = words[1];
  const pid = await there(id);
  const child = system.spawnAdmin(...words);
  const exited = once(child, "exit");
  await delay(random.below(MOST_MS));
  if (victim === "operator") child.kill("SIGKILL");
  else process.kill(pid, "SIGKILL");
  await exited;
  if (victim === "instance") await until(async () => (await there(id)) !== pid);
}

async function finish({ words, done }: Operation): Promise<void> {
  const { code, out, err } = await system.admin(...words);
  assert.is(code, 0, `${words.join(" ")}: ${out}${err}${system.out}`);
  await until(done);
}

for (const operation of OPERATIONS) {
  test(`${operation.words[0]}: the next run finishes what kills have cut off`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const victim of ["operator", "instance"] as const) {
        await until(operation.before ?? (async () => true));
        await disturb(operation, victim);
        await finish(operation);
      }
    }
  });
}

test("a provider that has lost its data gets that of a subscriber, which goes on", async () => {
  const attach = async () => {
    const { code, out, err } = await system.admin("attach", "B1");
    assert.is(code, 0, out + err);
  };
  await attach();
  await until(async () => (await feed("B1")) && (await areEqual()));
  const { "graph-order": order } = await nodestat("S1");
  assert.is((await system.down()).code, 0);
  await system.ended();
  const data = join(system.root, "data");
  rmSync(join(data, "builder_B1"), { recursive: true });
  cpSync(join(data, "search_S1"), join(data, "builder_B1"), { recursive: true });
  await system.up();
  const pid = await there("B1");
  process.kill(pid, "SIGKILL");
  await until(async () => (await there("B1")) !== pid);
  await attach();
  assert.is((await nodestat("B1"))["graph-order"], order);
  const names = { graph: "people", initial: "new", terminal: "oslo", relationship: "knows" };
  const change = { method: "POST", headers: { "x-svc-change": "1" } };
  const path = `/svc/builtin/connect?${new URLSearchParams(names)}`;
  await until(async () => (await system.get("B1", path, 1, change)).status === 200);
  await until(async () => (await nodestat("S1"))["graph-order"] === order + 1 && areEqual());
});

test("promote: the next run finishes it, and the former provider is fenced", async () => {
  const words = ["promote", "S1"] as const;
  const provides = () => feed("S1");
  for (const victim of ["operator", "instance"] as const) {
    await disturb({ words, done: provides }, victim);
    await finish({ words, done: provides });
  }
  // Refused where it knows already that it was replaced; else it learns it by that.
  await system.admin("attach", "B1");
  await until(async () => !(await feed("B1")));
});

test.run();

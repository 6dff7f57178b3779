// Operators and instances that are killed at any moment of an operation: the next run of the same
// command completes it. ROUNDS=n kills each of both n times in each of them, up to three: pauses
// between starts grow to a minute. SEED=n repeats the same moments.
// limit: 240 s
// takes 15 s

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Random, SEED } from "../property/support/random.js";
import { rounds } from "../support/rounds.js";
import { fixture } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";

const test = suite(`operations under kills, SEED=${SEED}`);
const KILLS = Math.min(3, rounds(1));
const VICTIMS = ["operator", "instance"] as const;
/** About as long as a command takes. */
const MAX_MS = 500;
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

type Victim = (typeof VICTIMS)[number];

interface Operation {
  /** Kills of the operator; the second one is the instance. */
  readonly words: readonly [string, "B1" | "S1", ...string[]];
  /** The process to kill if not both. */
  readonly victim: Victim;
  /** Prepares work for the operation. */
  readonly before?: () => Promise<boolean>;
  /** Condition after the operation. */
  readonly done: () => Promise<boolean>;
}

const random = new Random();
let system: UpSystem;
test.before(async () => {
  system = await UpSystem.start(fixture("graph-services"), DESCRIPTOR);
});
test.after(() => system.close());

async function feed(id: string): Promise<boolean> {
  return (await system.get(id, "/svc/plugin/feed")).status === 200;
}

async function serves(id: string): Promise<boolean> {
  return (await system.nodestat(id))["service-in"] === 1;
}

async function hasAll(): Promise<boolean> {
  const [nodestat, otherStat] = [await system.nodestat("B1"), await system.nodestat("S1")];
  return nodestat.subscribers[0]?.status === "CONNECTED" && nodestat.digest === otherStat.digest;
}

const OPERATIONS: readonly Operation[] = [
  { words: ["attach", "B1"], victim: "instance", before: () => feed("B1"), done: hasAll },
  {
    words: ["truncate", "B1", "--yes"],
    victim: "operator",
    before: () => feed("B1"),
    done: async () => (await system.nodestat("B1"))["graph-order"] === 0,
  },
  {
    words: ["detach", "B1"],
    victim: "operator",
    done: async () => (await system.nodestat("B1")).subscribers.length === 0,
  },
  { words: ["service-out", "S1"], victim: "instance", done: async () => !(await serves("S1")) },
  { words: ["service-in", "S1"], victim: "operator", done: () => serves("S1") },
  {
    words: ["restart-http", "B1"],
    victim: "operator",
    done: async () => (await system.get("B1", "/svc/hc")).status === 200,
  },
  // The last one: the former provider is fenced from then on.
  {
    words: ["promote", "S1"],
    victim: "instance",
    done: async () => {
      await system.admin("attach", "B1");
      return (await feed("S1")) && !(await feed("B1"));
    },
  },
];

/** Kills the processes of a command, and waits until all have recovered. */
async function disturb({ words }: Operation, victim: Victim): Promise<void> {
  const [, id] = words;
  const { pid } = await system.nodestat(id);
  const child = system.spawnAdmin(...words);
  const exited = once(child, "exit");
  await delay(random.below(MAX_MS));
  if (victim === "operator") child.kill("SIGKILL");
  else process.kill(pid, "SIGKILL");
  await exited;
  if (victim === "operator") return;
  // Not whether it serves: a command that found its port closed may have reached the next process.
  await until(async () => (await system.nodestat(id)).pid !== pid);
}

async function finish({ words, done }: Operation): Promise<void> {
  const { code, out, err } = await system.admin(...words);
  assert.is(code, 0, `${words.join(" ")}: ${out}${err}${system.out}`);
  await until(done);
}

for (const operation of OPERATIONS) {
  const name = operation.words[0];
  test(`${name}: the next run completes an interrupted operation`, async () => {
    const victims = Array.from({ length: KILLS }, () => VICTIMS).flat();
    for (const victim of KILLS === 1 ? [operation.victim] : victims) {
      if (operation.before !== undefined) await until(operation.before);
      await disturb(operation, victim);
      await finish(operation);
    }
  });
}

test.run();

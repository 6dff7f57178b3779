// Cost of moving slots from one group to another, by the CPU time of each step: the content is
// encoded, sent as in messages, written with a log, checked and removed in cuts of equal size.
// Then: the cost of slots for createVertex, alternating within one process, and bytes per vertex.
//
//   node grow.mjs [--arcs 1000000] [--cuts 64] [--rounds 15] [--text 9]
//
// --text is the length of one of the two properties of each vertex.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "../scripts/at-exit.mjs";
import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { importSources } from "./lib/sources.mjs";

const THREAD = 1;
const ARCS_PER_VERTEX = 4;
const COUNT = 4096;
const { arcs, cuts, rounds, text } = readOptions({
  ...{ arcs: 1_000_000, cuts: 64, rounds: 15, text: 9 },
});
const svc = await importSources(
  "runtime/base/instance-slots.ts",
  "runtime/base/plan-slot-moves.ts",
  "runtime/base/slot-map.ts",
  "runtime/graph/api/graph.ts",
  "runtime/graph/changes/sessions/session.ts",
  "runtime/graph/log/slot-content.ts",
  "runtime/graph/store/graph-store.ts",
  "runtime/graph/memory/commit-clock.ts",
  "runtime/interconnect/interconnect.ts",
);
const PLAN = {
  id: "0123456789abcdef",
  map: svc.divideSlots(COUNT, 1),
  groups: ["B1", "B2"],
  own: 0,
  partitions: null,
  graphs: ["g"],
  everywhere: ["kind"],
};
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
atExit(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a graph with a log. */
function open(name) {
  const root = join(folder, name);
  const alone = {
    ...{ ip: null, txPort: null, attach: [], txKeyFile: null },
    ...{ publishStream: null, followStream: null },
  };
  const settings = { root, durability: "async", readonly: false, graphs: {}, events: false };
  const clock = new svc.CommitClock();
  const more = { ...alone, saveEvery: 0 };
  const thread = new svc.Interconnect(THREAD + 1, { ...settings, ...more }, clock, () => {});
  const request = { name: "g", path: "g", folder: join(root, "g"), isStorable: true };
  const { share } = thread.keep({ ...request, isLocal: false, isReadonly: false });
  const store = svc.GraphStore.attach(share, THREAD);
  const session = new svc.Session(store);
  const graph = new svc.Graph({ store, session, path: null, isLocal: false });
  return { graph, store, flush: () => clock.wait(clock.nextFlush) };
}

async function timed(costs, step, run) {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  costs[step] = (costs[step] ?? 0) + (user + system) / 1e6;
  return result;
}

const STEPS = ["encode", "send", "write", "check", "remove"];

async function measureMoves() {
  svc.installSlots(PLAN);
  const [source, target] = [open("source"), open("target")];
  await fill(source);
  const [from, to] = [source, target].map(({ store }) => {
    return new svc.GraphSlots(store, svc.threadSlots());
  });
  const costs = {};
  let bytes = 0;
  const moved = COUNT / 2;
  const before = { vertices: source.graph.order, arcs: source.graph.size };
  const each = Math.ceil(moved / cuts);
  for (let first = 0; first < moved; first += each) {
    const slots = Array.from({ length: Math.min(each, moved - first) }, (_, n) => first + n);
    const { contents, names } = await timed(costs, "encode", () => {
      return from.encode(slots, Number.POSITIVE_INFINITY);
    });
    const received = await timed(costs, "send", () => contents.map(cross));
    bytes += contents.reduce((sum, { words }) => sum + words.byteLength, 0);
    await timed(costs, "write", async () => {
      for (const words of received) to.write(words, names);
      await target.flush();
    });
    const written = await timed(costs, "check", () => to.encode(slots, Number.POSITIVE_INFINITY));
    for (const [at, { digest }] of contents.entries()) {
      if (written.contents[at].digest !== digest) throw new Error(`slot ${slots[at]} differs`);
    }
    await timed(costs, "remove", async () => {
      from.remove(slots);
      await source.flush();
    });
  }
  const sum = (name) => source.graph[name] + target.graph[name];
  if (sum("size") !== before.arcs) throw new Error(`${sum("size")} arcs, not ${before.arcs}`);
  return { costs, megabytes: bytes / 1e6, arcs: target.graph.size };
}

async function fill({ graph, flush }) {
  const vertices = Math.ceil(arcs / ARCS_PER_VERTEX);
  const some = "some text".repeat(Math.ceil(text / 9)).slice(0, text);
  for (let n = 0; n < vertices; n++) {
    const id = `vertex ${n}`;
    graph.createVertex(id, { type: "thing", properties: { n, text: some } });
    for (let arc = 0; arc < ARCS_PER_VERTEX; arc++) {
      graph.connect(id, ["to", 5, n], `vertex ${(n * 7 + arc * 13) % vertices}`);
    }
    if (n % 1000 === 0) await flush();
  }
  await flush();
}

/** Sends content as messages do: as text in an envelope. */
function cross({ words }) {
  const data = Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString("base64");
  const { data: text } = JSON.parse(JSON.stringify({ do: "stage", data }));
  const bytes = Buffer.from(text, "base64");
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

/** Returns the CPU time of createVertex with slots, relative to that without. */
async function measureCreation() {
  const graphs = { without: null, with: null };
  svc.installSlots(null);
  graphs.without = open("without");
  svc.installSlots(PLAN);
  graphs.with = open("with");
  const ratios = [];
  const calls = 4000;
  for (let round = -3; round < rounds; round++) {
    const spent = { without: 0, with: 0 };
    for (let slice = 0; slice < 8; slice++) {
      for (const name of slice % 2 === 0 ? ["without", "with"] : ["with", "without"]) {
        const { graph, flush } = graphs[name];
        const first = (round * 8 + slice) * calls;
        await timed(spent, name, () => {
          for (let n = first; n < first + calls; n++) {
            graph.createVertex(`vertex ${n}`, { type: "thing", properties: { n } });
          }
        });
        await flush();
      }
    }
    if (round >= 0) ratios.push(spent.with / spent.without);
  }
  return median(ratios);
}

const { costs, megabytes, arcs: movedArcs } = await measureMoves();
const total = STEPS.reduce((sum, step) => sum + costs[step], 0);
const rows = STEPS.map((step) => [
  step,
  costs[step].toFixed(2),
  (megabytes / costs[step]).toFixed(0),
  `${((costs[step] / total) * 100).toFixed(0)} %`,
]);
console.log(`${megabytes.toFixed(1)} MB with ${movedArcs} arcs moved in ${cuts} cuts\n`);
printTable(["step", "s of CPU", "MB/s", "share"], rows);
const four = ["B1", "B2", "B3", "B4"];
const five = [...four, "B5"];
const planned = svc.planSlotMoves(svc.divideSlots(COUNT, 4), four, five);
const share = planned.reduce((sum, { slots }) => sum + slots.length, 0) / COUNT;
printTargets([
  { label: "moved", value: megabytes / total, unit: "MB/s of CPU", atLeast: 30 },
  { label: "moved from 4 to 5 groups", value: share * 100, unit: "% of the slots", atMost: 21 },
  {
    label: "createVertex: slots / no slots",
    value: await measureCreation(),
    unit: "x",
    atMost: 1.03,
  },
]);
process.exit();

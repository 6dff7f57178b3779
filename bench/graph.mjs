// The graph store against others, each in its own process: rate of connecting by string ids, memory
// per arc, and rates of simple queries. In every round all stores run a step one after another, so
// a ratio compares measurements taken within seconds. Rates are by CPU time, which other work on
// the machine hardly affects.
//
//   node graph.mjs [--rounds 3] [--arcs 1000000] [--ms 300]

import { mkdtempSync, rmSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "../scripts/at-exit.mjs";
import { median, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { writeArcs } from "./lib/graph-data.mjs";
import { startStore } from "./lib/graph-process.mjs";
import { readOptions } from "./lib/options.mjs";

const OURS = "svc";
/** Approximate memory per arc, in bytes. */
const STORES = { [OURS]: 60, map: 250, graphology: 700, ngraph: 400, sqlite: 60, kuzu: 460 };
/** A store that needs a larger share of the free memory is skipped. */
const SHARE_OF_MEMORY = 1 / 4;
/** Steps in order. Rates are in millions per second. */
const STEPS = {
  connect: "connect by string ids, arcs",
  arcs: "one level: all arcs",
  filter: "one level: relationship and value",
  degree: "one level: degree of the head",
  levels: "two levels: all arcs",
  global: "whole graph: relationship and value",
  list: "list of [id, value], entries",
  find: "find an arc, known strings",
  findFresh: "find an arc, fresh strings",
  oneShot10: "one-shot neighborhood, degree 10",
  oneShot1000: "one-shot neighborhood, degree 1000",
  disconnect: "disconnect by string ids, arcs",
};
/** Target speedups over other stores. */
const TARGETS = [
  ["connect", { map: 1.6, graphology: 6, ngraph: 2.7, sqlite: 4 }],
  ["arcs", { map: 4, graphology: 18, sqlite: 6 }],
  ["levels", { map: 7, graphology: 25, sqlite: 15 }],
  ["global", { map: 4, sqlite: 3.5 }],
  ["find", { map: 0.9, sqlite: 3 }],
  ["findFresh", { map: 2 }],
  ["list", { map: 1 }],
  ["oneShot10", { map: 1 }],
  ["oneShot1000", { map: 3 }],
];
/** Target share of the other stores' memory. */
const MEMORY_TARGETS = { map: 1 / 4, graphology: 1 / 10, ngraph: 1 / 5, sqlite: 1 };

const { rounds, arcs, ms } = readOptions({ rounds: 3, arcs: 1_000_000, ms: 300 });
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
atExit(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "arcs");
writeArcs(file, arcs);
const names = namesThatFit();
const samples = [];
for (let round = 0; round < rounds; round++) samples.push(await measureRound());
report(samples);

function namesThatFit() {
  const budget = freemem() * SHARE_OF_MEMORY;
  return Object.entries(STORES)
    .filter(([name, bytes]) => {
      const fits = arcs * bytes < budget;
      if (!fits) console.log(`${name}: skipped (takes ${((arcs * bytes) / 1e9).toFixed(1)} GB)\n`);
      return fits;
    })
    .map(([name]) => name);
}

/** @returns {Promise<Map<string, object>>} by step and store: `perSecond`, `bytes`, `otherCores` */
async function measureRound() {
  const stores = new Map();
  for (const name of names) {
    const store = await startStore(name, file);
    if (store !== null) stores.set(name, store);
  }
  if (!stores.has(OURS)) throw new Error(`${OURS} does not start`);
  const figures = new Map();
  for (const step of Object.keys(STEPS)) {
    const checks = new Set();
    for (const [name, store] of stores) {
      const { check, ...figure } = await store.ask(step, ms);
      figures.set(`${step} ${name}`, figure);
      checks.add(check);
    }
    if (checks.size > 1) throw new Error(`${step}: answers differ: ${[...checks].join(", ")}`);
  }
  await Promise.all([...stores.values()].map((store) => store.stop()));
  return figures;
}

function report(rounds) {
  const measured = names.filter((name) => rounds[0].has(`connect ${name}`));
  const cell = (step, name, pick) => median(valuesOf(step, name, pick));
  const rows = Object.entries(STEPS).map(([step, label]) => {
    return [label, ...measured.map((name) => digits(cell(step, name, ratePerUs)))];
  });
  const bytes = measured.map((name) => cell("connect", name, bytesOf).toFixed(0));
  printTable([`${arcs} arcs, millions per second`, ...measured], rows);
  printTable(["resident memory", ...measured], [["bytes per arc", ...bytes]]);
  printTable([`${OURS} is quicker`, ...measured.slice(1)], ratioRows(measured.slice(1)));
  printOtherWork(rounds.flatMap((figures) => [...figures.values()]));
  printTargets([...speedTargets(measured), ...memoryTargets(measured)]);
}

function valuesOf(step, name, pick) {
  return samples.map((figures) => pick(figures.get(`${step} ${name}`)));
}

function ratePerUs({ perSecond }) {
  return perSecond / 1e6;
}

function bytesOf({ bytes }) {
  return bytes;
}

/** Returns the median over the rounds of ours divided by the other's. */
function ratio(step, name, pick) {
  const others = valuesOf(step, name, pick);
  return median(valuesOf(step, OURS, pick).map((value, round) => value / others[round]));
}

function ratioRows(names) {
  return Object.entries(STEPS).map(([step, label]) => {
    return [label, ...names.map((name) => `${digits(ratio(step, name, ratePerUs))} x`)];
  });
}

function speedTargets(names) {
  return TARGETS.flatMap(([step, bounds]) => {
    return Object.entries(bounds)
      .filter(([name]) => names.includes(name))
      .map(([name, atLeast]) => {
        const value = ratio(step, name, ratePerUs);
        return { label: STEPS[step], value, atLeast, unit: `x ${name}` };
      });
  });
}

function memoryTargets(names) {
  return Object.entries(MEMORY_TARGETS)
    .filter(([name]) => names.includes(name))
    .map(([name, atMost]) => {
      const value = ratio("connect", name, bytesOf);
      return { label: "memory per arc", value, atMost, unit: `x ${name}` };
    });
}

/** Rounds to three significant digits. */
function digits(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

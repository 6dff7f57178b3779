// `svc admin status` of a large system: totals for each dispatcher and the instances below it, and
// a line for each instance that needs attention. Dispatchers respond for the instances below them.

import { setTimeout as delay } from "node:timers/promises";
import { HEALTH, LIVE_COLUMNS, REST_COLUMNS, type Row } from "../../runtime/system/short-rows.js";
import { listBranch, planSurvey } from "../../runtime/system/survey-tree.js";
import type { System } from "../../runtime/system/system.js";
import { SystemWatch } from "../../runtime/system/system-watch.js";
import { EXIT_FAILURE } from "../framework/report-error.js";
import type { AdminContext } from "./context.js";
import { table } from "./table.js";

const WAIT_MS = 15_000;
const POLL_MS = 250;
const MAX_LINES = 20;
const GIB = 2 ** 30;
const COLUMNS =
  "Id,Instances,S-IN,S-OUT,Slow,Failing,Down,Unknown,Complete,RPS,Use(GiB),Order,Size".split(",");

interface Sums {
  readonly id: string;
  readonly instances: number;
  readonly in: number;
  readonly out: number;
  readonly slow: number;
  readonly failing: number;
  readonly down: number;
  readonly unknown: number;
  /** Whether each partition has a serving replica; null: unknown. */
  readonly complete: boolean | null;
  readonly rate: number;
  readonly memory: number;
  readonly order: number;
  readonly size: number;
}

/** Rows of the short overview, by id. */
export interface Rows {
  readonly rest: ReadonlyMap<string, Row>;
  readonly live: ReadonlyMap<string, Row>;
}

export async function runByLevel(context: AdminContext): Promise<number> {
  const { sums, attention, isGood } = describeLevels(context.system, await readRows(context));
  const hiddenCount = attention.length - MAX_LINES;
  context.print({ sums, attention }, [
    ...table(COLUMNS, sums.map(formatCells)),
    ...attention.slice(0, MAX_LINES),
    ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : []),
  ]);
  return isGood ? 0 : EXIT_FAILURE;
}

interface Levels {
  readonly sums: readonly Sums[];
  /** Lines about instances, most severe first. */
  readonly attention: readonly string[];
  /** Whether all instances respond. */
  readonly isGood: boolean;
}

export function describeLevels(system: System, rows: Rows): Levels {
  const tree = planSurvey(system);
  const ids = [...system.instances.keys()];
  const others = tree.tops.filter((id) => !system.matrices.has(id));
  const sums = [
    ...[...system.matrices.keys()].map((id) => summarize(id, listBranch(tree, id), rows)),
    ...(others.length > 0 ? [summarize("(others)", others, rows)] : []),
  ];
  const attention = LINE_FORMATTERS.flatMap((describe) =>
    ids.flatMap((id) => describe(id, rows) ?? []),
  );
  const isGood = ids.every((id) => {
    const health = readHealth(id, rows);
    return health === HEALTH.good || health === HEALTH.slow;
  });
  return { sums, attention, isGood };
}

/** Reads until all instances have a known state, or until the timeout. */
async function readRows({ system, secure }: AdminContext): Promise<Rows> {
  const watch = new SystemWatch(system, secure, { self: "", isBranch: false });
  const [rest, live] = [new Map<string, Row>(), new Map<string, Row>()];
  const deadline = performance.now() + WAIT_MS;
  let ids: readonly string[] = [];
  for (let known = ""; ; ) {
    const response = await watch.read("", known, -1);
    known = response.revision;
    if (Array.isArray(response.instances)) ids = response.instances.map(([id]) => id);
    for (const row of (response.rest ?? []) as readonly Row[]) rest.set(ids[Number(row[0])]!, row);
    for (const row of (response.live ?? []) as readonly Row[]) live.set(ids[Number(row[0])]!, row);
    const isWaiting = [...rest.values()].some(([, health]) => health === HEALTH.waiting);
    if (!isWaiting || performance.now() > deadline) return { rest, live };
    await delay(POLL_MS);
  }
}

function readColumn(id: string, { rest }: Rows, name: (typeof REST_COLUMNS)[number]): unknown {
  return rest.get(id)?.[1 + REST_COLUMNS.indexOf(name)] ?? null;
}

function readHealth(id: string, rows: Rows): unknown {
  return readColumn(id, rows, "health");
}

function summarize(id: string, ids: readonly string[], rows: Rows): Sums {
  const count = (isCounted: (member: string) => boolean) => ids.filter(isCounted).length;
  const add = (values: readonly unknown[]) =>
    values.reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
  const countHealth = (health: number) => count((member) => readHealth(member, rows) === health);
  const sumLive = (name: (typeof LIVE_COLUMNS)[number]) =>
    add(ids.map((member) => rows.live.get(member)?.[1 + LIVE_COLUMNS.indexOf(name)]));
  const complete = readColumn(id, rows, "matrix-complete");
  return {
    ...{ id, instances: ids.length },
    in: count((member) => readColumn(member, rows, "service-in") === 1),
    out: count((member) => readColumn(member, rows, "service-in") === 0),
    ...{
      slow: countHealth(HEALTH.slow),
      failing: countHealth(HEALTH.failing),
      down: countHealth(HEALTH.unreachable),
    },
    unknown: countHealth(HEALTH.waiting),
    complete: typeof complete === "boolean" ? complete : null,
    ...{ rate: sumLive("service-rate"), memory: sumLive("memory-process") },
    order: add(ids.map((member) => readColumn(member, rows, "graph-order"))),
    size: add(ids.map((member) => readColumn(member, rows, "graph-size"))),
  };
}

function formatCells(sums: Sums): string[] {
  const { id, instances, slow, failing, down, unknown, complete, rate, memory } = sums;
  return [
    id,
    ...[instances, sums.in, sums.out, slow, failing, down, unknown].map(String),
    complete === null ? "-" : complete ? "yes" : "no",
    rate.toFixed(1),
    (memory / GIB).toFixed(1),
    ...[sums.order, sums.size].map(String),
  ];
}

/** Returns a line for an instance of a given health. */
function createLineFormatter(text: string, health: number) {
  return (id: string, rows: Rows) => (readHealth(id, rows) === health ? `${text}: ${id}` : null);
}

/** Formatters of the lines, most severe first. Null: the instance needs no such line. */
const LINE_FORMATTERS: readonly ((id: string, rows: Rows) => string | null)[] = [
  createLineFormatter("Not running", HEALTH.unreachable),
  createLineFormatter("Failing", HEALTH.failing),
  createLineFormatter("Unknown", HEALTH.waiting),
  (id, rows) => {
    const reason = readColumn(id, rows, "service-out-reason");
    return typeof reason === "string" ? `Out of service: ${id} (${reason})` : null;
  },
  createLineFormatter("Slow", HEALTH.slow),
];

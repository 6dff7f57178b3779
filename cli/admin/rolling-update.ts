// `svc admin rolling-update`: lets the replicas of a system take the newest build, one after the
// other. Each step looks first and can be done again: what was done is read from the instances, so
// that a run which was interrupted is finished by the next one.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/settings/rules.js";
import { askResponse } from "../../runtime/system/ask-instance.js";
import { buildHash, readBuild } from "../serving/built-project.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { operate } from "./remote.js";

/** What an instance says of itself while a run has taken it out. */
const REASON = "rolling update";
const WAIT_MS = 30_000;
const POLL_MS = 100;
const ASK_MS = 5000;

type Dict = Readonly<Record<string, unknown>>;
/** A place in the matrix of a dispatcher. */
type Place = readonly [dispatcher: string, partition: number, row: number];

export async function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const { build } = context.values;
  const wanted = build === undefined ? null : buildHash(readBuild(build));
  const all = [...context.system.instances.keys()];
  const behind = all.filter((id) => !context.system.matrices.has(id) && placesOf(context, id)[0]);
  const chosen = ids === undefined ? behind : context.select(ids);
  for (const id of chosen) {
    const done = await update(context, id, wanted);
    context.print({ id, done }, [`${id}: ${done}`]);
  }
  return 0;
}

async function update(context: AdminContext, id: string, wanted: string | null): Promise<string> {
  const before = await nodestatOf(context, id);
  const isIn = before["service-in"] === 1;
  if (isIn && wanted !== null && before.build === wanted) return "is up to date";
  const reason = before["service-out-reason"];
  // What an operator has taken out stays out.
  const isHeld = !isIn && reason !== REASON;
  if (isIn) await takeOut(context, id);
  await operate(context.address(id), "ReloadPlugins");
  const { build } = await nodestatOf(context, id);
  if (wanted !== null && build !== wanted) {
    throw stopped(`${id} serves build ${build}, not ${wanted}; it stays out`);
  }
  if (isHeld) return `serves build ${build}, and stays out of service (${reason})`;
  await operate(context.address(id), "ServiceIn");
  const isUp = (entry: Dict) => entry.state === "up";
  if (!(await holds(context, id, isUp))) throw stopped(`no dispatcher sends to ${id} again`);
  return `serves build ${build}`;
}

/** In again, and the end, where requests would have nowhere to go. */
async function takeOut(context: AdminContext, id: string): Promise<void> {
  await requireOthers(context, id);
  await operate(context.address(id), "ServiceOut", { reason: REASON });
  try {
    // Another operator may have taken the others out at the same moment.
    await requireOthers(context, id);
    const isIdle = (entry: Dict) => entry.running === 0;
    if (!(await holds(context, id, isIdle))) throw stopped(`requests in ${id} do not end`);
  } catch (error) {
    await operate(context.address(id), "ServiceIn");
    throw error;
  }
}

/** @throws SvcError SVC3119 unless each partition of it has another replica that serves */
async function requireOthers(context: AdminContext, id: string): Promise<void> {
  for (const [dispatcher, partition] of placesOf(context, id)) {
    const replicas = context.system.matrices.get(dispatcher)!.partitions[partition]!;
    const others = replicas.filter((other) => other !== id);
    const serving = await Promise.all(others.map((other) => isServing(context, other)));
    if (serving.includes(true)) continue;
    const where = `partition ${partition} of ${dispatcher}`;
    throw stopped(`Too few S-IN destinations: without ${id} nobody serves ${where}`);
  }
}

async function isServing(context: AdminContext, id: string): Promise<boolean> {
  try {
    return (await nodestatOf(context, id))["service-in"] === 1;
  } catch {
    return false;
  }
}

/** Whether something comes to hold wherever an instance stands in a matrix. */
async function holds(
  context: AdminContext,
  id: string,
  test: (entry: Dict) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  for (const [dispatcher, partition, row] of placesOf(context, id)) {
    for (;;) {
      const question = { path: "/svc/matrix", timeoutMs: ASK_MS };
      const told = await askResponse(context.address(dispatcher), question);
      const entry = (told as unknown[][] | null)?.[partition]?.[row];
      if (isPlainObject(entry) && test(entry)) break;
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS);
    }
  }
  return true;
}

function placesOf({ system }: AdminContext, id: string): Place[] {
  return [...system.matrices].flatMap(([dispatcher, { partitions }]) =>
    partitions.flatMap((replicas, partition) =>
      replicas.flatMap((other, row) => {
        return other === id ? [[dispatcher, partition, row] as const] : [];
      }),
    ),
  );
}

async function nodestatOf(context: AdminContext, id: string): Promise<Dict> {
  const question = { path: "/svc/nodestat", timeoutMs: ASK_MS };
  const told = await askResponse(context.address(id), question);
  return isPlainObject(told) ? told : {};
}

function stopped(text: string): SvcError {
  return new SvcError("SVC3119", text);
}

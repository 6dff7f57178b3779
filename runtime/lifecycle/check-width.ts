// Rejects a descriptor that changes the number of partitions, or the slots, of graphs with data.
// Engines would keep their previous shares, and queries would return vertices twice or miss them.

import { SvcError } from "../base/errors.js";
import { requestInstance } from "../system/instance-client.js";
import type { System } from "../system/system.js";
import { TlsContextCache } from "../system/tls-context-cache.js";

const TIMEOUT_MS = 2000;

/**
 * @param id of the dispatcher that receives the descriptor
 * @param projectDir base of paths in the descriptor
 * @throws SvcError SVC3411
 */
export async function checkWidth(
  former: System,
  next: System,
  id: string,
  projectDir: string,
): Promise<void> {
  const [from, to] = [former, next].map(({ matrices }) => matrices.get(id)?.partitions.length ?? 0);
  if (from === 0 || to === 0) return;
  const change = from === to ? slotChange(former, next) : widthChange(id, from!, to!);
  if (change === null) return;
  const engines = new Map([...listEngines(former, id), ...listEngines(next, id)]);
  const tls = next.tls ?? former.tls;
  const secure = tls === null ? null : new TlsContextCache(tls, projectDir);
  const found = await Promise.all(
    [...engines].map(([engine, { host, hport }]) =>
      describeData(engine, { host, port: hport + 1, secure }),
    ),
  );
  const reason = found.find((text) => text !== null);
  if (reason === undefined) return;
  throw new SvcError("SVC3411", `SVC3411: the descriptor ${change}, and ${reason}`);
}

function widthChange(id: string, from: number, to: number): string {
  return `has ${to} partitions for ${id} in place of ${from}`;
}

function slotChange(former: System, next: System): string | null {
  return haveEqualSlots(former, next) ? null : "divides the data by other slots";
}

export function haveEqualSlots({ slots: former }: System, { slots: next }: System): boolean {
  return JSON.stringify(former) === JSON.stringify(next);
}

type Address = Parameters<typeof requestInstance>[0];

/** Returns the instances with graphs below a dispatcher. */
function listEngines(system: System, id: string, seen = new Set<string>()) {
  const found = new Map<string, { readonly host: string; readonly hport: number }>();
  if (seen.has(id)) return found;
  seen.add(id);
  for (const child of system.matrices.get(id)?.partitions.flat() ?? []) {
    const isDispatcher = system.matrices.has(child);
    const below = isDispatcher ? listEngines(system, child, seen) : null;
    if (below === null) found.set(child, system.instances.get(child)!);
    else for (const [engine, instance] of below) found.set(engine, instance);
  }
  return found;
}

/** Describes the data of an engine that prevent the change; null: it has no data. */
async function describeData(id: string, address: Address): Promise<string | null> {
  try {
    const request = { path: "/svc/nodestat", timeoutMs: TIMEOUT_MS };
    const status = (await requestInstance(address, request)) as { "graph-order"?: unknown };
    const order = Number(status["graph-order"]);
    return order === 0 ? null : `${id} has ${order} vertices`;
  } catch (error) {
    const { cause, message } = error as Error & { readonly cause?: NodeJS.ErrnoException };
    // Not started yet: the usual state of an added instance.
    if (cause?.code === "ECONNREFUSED") return null;
    return `the vertices of ${id} cannot be counted: ${message}`;
  }
}

// All instances of the system, from the `system_overview` of the serving instance: pages cannot
// reach the others. Shared by all pages that show several instances.

import { isRecord } from "./client.js";
import { instanceState, type State } from "./instance-state.js";
import { isAt, listAt, numberAt, readPath, textAt } from "./node-stat.js";

export const OVERVIEW = "svc/builtin/system_overview";
const MAX_DEPTH = 32;

export interface Instance {
  readonly id: string;
  readonly type: string;
  /** `host:port` of its console. */
  readonly address: string;
  /** Its `nodestat`; undefined without a response. */
  readonly node: unknown;
  /** Its matrix in the overview. */
  readonly entry: unknown;
  /** Id of the one that provides it with changes; null for none. */
  readonly provider: string | null;
  readonly state: State;
}

/** @param isBusy what five looks have found of an instance */
export function parseInstances(
  overview: unknown,
  isBusy: (id: string) => boolean = () => false,
): readonly Instance[] {
  const entries = listAt(overview, "instances").filter(isRecord);
  const providers = providersOf(readPath(overview, "descriptor", "topology", "transaction"));
  const nodes = new Map(entries.map((entry) => [textAt(entry, "id"), nodeOf(entry)]));
  return entries.map((entry) => {
    const id = textAt(entry, "id");
    const provider = providers.get(id) ?? null;
    return {
      ...{ id, entry, provider, node: nodes.get(id), type: textAt(entry, "nodetype") },
      address: `${textAt(entry, "hostname")}:${numberAt(entry, "adminport")}`,
      state: instanceState(
        nodes.get(id),
        entry,
        provider === null ? null : nodes.get(provider),
        isBusy(id),
      ),
    };
  });
}

/** Milliseconds since the last change, by instance. */
export function readIdleTimes(overview: unknown): ReadonlyMap<string, number> {
  const entries = listAt(overview, "instances").filter(isRecord);
  const known = entries.filter((entry) => isRecord(nodeOf(entry)));
  return new Map(
    known.flatMap((entry) => {
      const ms = readPath(nodeOf(entry), "idle-ms");
      return typeof ms === "number" ? [[textAt(entry, "id"), ms] as const] : [];
    }),
  );
}

function nodeOf(entry: Readonly<Record<string, unknown>>): unknown {
  return isAt(entry, "error") ? undefined : (entry.nodestat ?? null);
}

/** By subscriber: a tree of objects whose leaves may be lists of ids. */
function providersOf(tree: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (part: unknown, above: string | null, depth: number): void => {
    const below = Array.isArray(part)
      ? part.map((id): [unknown, unknown] => [id, null])
      : Object.entries(isRecord(part) ? part : {});
    for (const [id, rest] of below) {
      if (typeof id !== "string") continue;
      if (above !== null) found.set(id, above);
      if (depth < MAX_DEPTH) visit(rest, id, depth + 1);
    }
  };
  visit(tree, null, 0);
  return found;
}

/**
 * A page of an instance in its own console; null for what is no address.
 * @param protocol of this page: all instances of a system speak TLS, or none does
 */
export function consoleUrl({ address }: Instance, page: string, protocol: string): string | null {
  const text = `${protocol}//${address}/${page}`;
  return URL.canParse(text) ? new URL(text).href : null;
}

const MAX_PATTERN = 1000;

/** Whether a list of ids and patterns with `*`, such as `S1.*, B1`, means an instance. */
export function matchesSelection(id: string, list: string): boolean {
  const words = list.slice(0, MAX_PATTERN).split(",");
  return words.map((word) => word.trim()).some((word) => word !== "" && fits(id, word));
}

/**
 * Matches section by section: a regular expression built from the text could backtrack for ever.
 */
function fits(id: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return id === pattern;
  if (!id.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = id.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return id.length - last.length >= at && id.endsWith(last);
}

/** Returns the id of the instance whose main port has an address, or the address. */
export function nameAddress(instances: readonly Instance[], address: string): string {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(address) ?? [];
  const admin = `${host}:${Number(port) + 1}`;
  return instances.find((one) => one.address === admin)?.id || address;
}

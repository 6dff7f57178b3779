// The instances of the system, as the serving instance reports them: pages cannot reach the others.
// Shared by all pages that show several instances.

import type { State } from "./instance-state.js";
import { readPath } from "./node-stat.js";

export interface Instance {
  readonly id: string;
  readonly type: string;
  /** `host:port` of its console. */
  readonly address: string;
  /** Its `nodestat`; undefined without a response, null before the first. */
  readonly node: unknown;
  /** Its overview entry: health, and the matrix of a dispatcher. */
  readonly entry: unknown;
  /** Id of its provider; null: none. */
  readonly provider: string | null;
  readonly state: State;
}

/** Milliseconds since the last change, by instance. */
export function readIdleTimes(instances: readonly Instance[]): ReadonlyMap<string, number> {
  return new Map(
    instances.flatMap(({ id, node }) => {
      const ms = readPath(node, "idle-ms");
      return typeof ms === "number" ? [[id, ms] as const] : [];
    }),
  );
}

/**
 * Returns the URL of a page in the console of an instance; null for an invalid address.
 * @param protocol of this page: all instances of a system speak TLS, or none does
 */
export function consoleUrl({ address }: Instance, page: string, protocol: string): string | null {
  const text = `${protocol}//${address}/${page}`;
  return URL.canParse(text) ? new URL(text).href : null;
}

const MAX_PATTERN = 1000;

/** Returns whether a list of ids and patterns, such as `S1.*, B1`, matches an instance. */
export function matchesSelection(id: string, list: string): boolean {
  const words = list.slice(0, MAX_PATTERN).split(",");
  return words.map((word) => word.trim()).some((word) => word !== "" && fits(id, word));
}

/**
 * Matches section by section, because a regular expression built from the text could backtrack
 * exponentially.
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
  return instances.find((instance) => instance.address === admin)?.id || address;
}

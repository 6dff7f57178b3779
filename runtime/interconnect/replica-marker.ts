// Replica marker: a file in the data folder that states that all graphs came from a provider, with
// its epoch and the log position reached. Removed when an instance starts that may change them:
// from then on they can differ from the provider's.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeJsonAtomically } from "../base/durable-files.js";
import { SvcError } from "../base/errors.js";
import { type Positions, parsePositions } from "./wire/positions.js";

const MARKER_FILE = "_replica.json";

export type ReplicaMarker = Omit<Positions, "graphs" | "diverged">;

/** Returns undefined if the data folder is not a replica's. @throws SvcError SVC2534 */
export function readReplicaMarker(root: string): ReplicaMarker | undefined {
  const file = join(root, MARKER_FILE);
  try {
    const mark = JSON.parse(readFileSync(file, "utf8")) as Partial<ReplicaMarker>;
    return parsePositions({ epoch: 1, ...mark, graphs: [], diverged: [] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const text = `replication: ${file} cannot be read: ${(error as Error).message}`;
    throw new SvcError("SVC2534", text, { cause: error });
  }
}

/** Returns whether there is a marker, readable or not. */
export function hasReplicaMarker(root: string): boolean {
  return existsSync(join(root, MARKER_FILE));
}

export function writeReplicaMarker(root: string, mark: ReplicaMarker): void {
  writeJsonAtomically(join(root, MARKER_FILE), mark);
}

/** Removes the marker, before graphs become writable. */
export function removeReplicaMarker(root: string): void {
  rmSync(join(root, MARKER_FILE), { force: true });
}

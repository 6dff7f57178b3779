// A root whose graphs all came from another instance, and nothing else since, has a file that says
// so, up to which frame of whose log, and of which epoch. It goes when an instance starts that may
// change them: from then on what the graphs hold is not what the other instance has.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeJsonAtomically } from "../base/durable-files.js";
import { SvcError } from "../base/errors.js";
import { type Positions, parsePositions } from "./wire/positions.js";

const MARK_FILE = "_replica.json";

export type ReplicaMarker = Omit<Positions, "graphs" | "diverged">;

/** Undefined: the root is no replica's. @throws SvcError SVC2534 */
export function readReplicaMarker(root: string): ReplicaMarker | undefined {
  const file = join(root, MARK_FILE);
  try {
    const mark = JSON.parse(readFileSync(file, "utf8")) as Partial<ReplicaMarker>;
    return parsePositions({ epoch: 1, ...mark, graphs: [], diverged: [] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const text = `replication: ${file} cannot be read: ${(error as Error).message}`;
    throw new SvcError("SVC2534", text, { cause: error });
  }
}

/** Whether there is one, readable or not. */
export function hasReplicaMarker(root: string): boolean {
  return existsSync(join(root, MARK_FILE));
}

export function writeReplicaMarker(root: string, mark: ReplicaMarker): void {
  writeJsonAtomically(join(root, MARK_FILE), mark);
}

/** The graphs of the root may be changed from now on. */
export function removeReplicaMarker(root: string): void {
  rmSync(join(root, MARK_FILE), { force: true });
}

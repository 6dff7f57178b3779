// Restores a data folder from a backup. A marker stays in the folder until everything is durable:
// no server starts in a folder with the marker, and another restore replaces its contents.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { decompress } from "../../base/async-calls.js";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { SvcError } from "../../base/errors.js";
import { LOG_FOLDER, RESTORE_MARKER } from "../../base/graph-names.js";
import { storeSlotRecord } from "../../base/kept-slots.js";
import type { SlotRecord } from "../../base/slot-record.js";
import { beginLineage } from "../lineage.js";
import { type DiskFile, realDisk } from "../log/disk.js";
import { type CutLog, cutLog } from "./cut-log.js";
import { objectName, sha256 } from "./manifest.js";
import type { ObjectStore } from "./object-store.js";
import { describeNearest, type PlannedPiece, type RestorePlan } from "./restore-plan.js";

/** Maximum size of a stored object: a piece of maximum size that compression has enlarged. */
const MAX_OBJECT_BYTES = 2 ** 26;

/**
 * Restores into a new or empty folder, or into one where a restore was interrupted.
 * @param slots of the contents; null: the instance has none
 * @throws SvcError SVC3345, SVC3420, SVC3422
 */
export async function restoreRoot(
  store: ObjectStore,
  plan: RestorePlan,
  root: string,
  slots: SlotRecord | null = null,
): Promise<CutLog> {
  try {
    prepare(root);
    return await fill(store, plan, root, slots);
  } catch (error) {
    throw unusable(root, error);
  }
}

async function fill(
  store: ObjectStore,
  plan: RestorePlan,
  root: string,
  slots: SlotRecord | null,
): Promise<CutLog> {
  try {
    for (const [path, pieces] of groupByFile(plan.pieces))
      await restoreFile(store, plan, root, path, pieces);
    const cut = cutLog(realDisk, join(root, LOG_FOLDER), plan.target);
    beginLineage(root, cut.end, cut.epoch);
    if (slots !== null) storeSlotRecord(root, { ...slots, isRestored: true });
    rmSync(join(root, RESTORE_MARKER));
    fsyncDirectory(root);
    return cut;
  } catch (error) {
    removeContents(root);
    rmSync(join(root, RESTORE_MARKER), { force: true });
    throw error;
  }
}

/** Returns an error of the disk as one with a code. */
function unusable(root: string, error: unknown): Error {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error as Error;
  return new SvcError("SVC3345", `${root}: ${message}`, { cause: error });
}

function prepare(root: string): void {
  const marker = join(root, RESTORE_MARKER);
  const names = existsSync(root) ? readdirSync(root) : [];
  if (names.length > 0 && !names.includes(RESTORE_MARKER)) {
    throw new SvcError("SVC3420", `${root} is not empty: it has ${names.slice(0, 3).join(", ")}`);
  }
  mkdirDurable(root);
  // Only its existence matters, so it needs no temporary file.
  writeFileSync(marker, "", { flush: true });
  fsyncDirectory(root);
  removeContents(root);
}

/** Removes everything but the marker. */
function removeContents(root: string): void {
  for (const name of readdirSync(root)) {
    if (name !== RESTORE_MARKER) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function groupByFile(pieces: readonly PlannedPiece[]): Map<string, PlannedPiece[]> {
  const files = new Map<string, PlannedPiece[]>();
  for (const piece of pieces) files.set(piece.path, [...(files.get(piece.path) ?? []), piece]);
  return files;
}

async function restoreFile(
  store: ObjectStore,
  plan: RestorePlan,
  root: string,
  path: string,
  pieces: readonly PlannedPiece[],
): Promise<void> {
  const file = join(root, path);
  const isLog = path.startsWith(`${LOG_FOLDER}/`);
  mkdirSync(dirname(file), { recursive: true, mode: isLog ? 0o700 : 0o777 });
  const target: DiskFile = realDisk.create(file);
  try {
    for (const piece of pieces) target.write(await readPiece(store, plan, piece), piece.at);
    await target.flush();
  } finally {
    target.close();
  }
  fsyncDirectory(dirname(file));
}

/** Returns the content of a piece. @throws SvcError SVC3420 if it is missing or corrupt */
export async function readPiece(
  store: ObjectStore,
  { after }: Pick<RestorePlan, "after">,
  { object, bytes, before }: PlannedPiece,
): Promise<Buffer> {
  const name = objectName(object);
  const corrupt = (reason: string): SvcError =>
    new SvcError("SVC3420", `${name} of ${store.uri} ${reason}; ${describeNearest(before, after)}`);
  const stored = await store.get(name, MAX_OBJECT_BYTES);
  if (stored === null) throw corrupt("is missing");
  if (sha256(stored) !== object) throw corrupt("is corrupt");
  const options = { maxOutputLength: Math.max(1, bytes) };
  const content = await decompress(stored, options).catch(() => null);
  if (content?.length !== bytes) throw corrupt("is corrupt");
  return content;
}

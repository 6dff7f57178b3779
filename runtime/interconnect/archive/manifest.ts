// Manifests of a backup, numbered in the order of writing. Each one lists the objects that a step
// of the backup added, contains the hash of the preceding manifest, and is written after these
// objects. Objects without a manifest are not part of the backup.
//
//   objects/<2 digits>/<64 digits>   content, compressed; named by the SHA-256 of these bytes
//   manifests/<10 digits>.json       manifest; numbers have no gaps
//   latest.json                      number of the last manifest, and when that was confirmed
//
// The manifest of a full backup lists all files of a data folder. Others list only additions to
// the transaction log.

import { createHash } from "node:crypto";
import { SvcError } from "../../base/errors.js";
import { isValidGraphPath, LOG_FOLDER } from "../../base/graph-names.js";
import { isSlotRecord } from "../../base/kept-slots.js";
import { explainLaterFormat } from "../../base/later-release.js";
import type { SlotRecord } from "../../base/slot-record.js";
import { isCount, isIdentity } from "../wire/positions.js";

export const MANIFESTS = "manifests/";
export const OBJECTS = "objects/";
export const LATEST = "latest.json";
/** Records the last verification of the backup. */
export const VERIFIED = "verified.json";
export const LINEAGE_PATH = "_lineage.json";
/** Slots were being moved, so no slot map fits the contents. */
export const MOVING = "moving";
/** Content of one object before compression. */
const MAX_PIECE_BYTES = 2 ** 25;
const FORMAT = 1;
/** Sufficient for a full backup with an entry for each external value. */
export const MAX_MANIFEST_BYTES = 2 ** 29;

/** Part of a file. */
export interface Piece {
  /** File below the data folder, with `/`. */
  readonly path: string;
  readonly at: number;
  readonly bytes: number;
  /** SHA-256 of the object, in hexadecimal digits. */
  readonly object: string;
}

/** A position of the transaction log. */
export interface LogPoint {
  readonly id: string;
  /** Sequence number of the last transaction; 0: none. */
  readonly sn: number;
  /** Last word of the frame that ends there. */
  readonly chain: number;
  /** Time of that transaction in seconds since 1970. */
  readonly at: number;
}

/** Contents of a graph after `count` operations. */
export interface GraphCheckpoint {
  readonly identity: string;
  readonly count: number;
  readonly digest: string;
}

/** Reference to an earlier full backup. */
export interface FullBackup {
  readonly number: number;
  /** SHA-256 of its manifest. */
  readonly hash: string;
  readonly log: LogPoint;
  readonly time: number;
}

export interface Manifest {
  readonly format: 1;
  readonly number: number;
  /** SHA-256 of the preceding manifest; null: this is the first one. */
  readonly previous: string | null;
  /** The backup contains all changes that were durable at this time, in milliseconds. */
  readonly time: number;
  /** Number of the last full backup, this one included. */
  readonly full: number;
  /** False: transactions before this full backup are missing. */
  readonly continues: boolean;
  /** End of the log. */
  readonly log: LogPoint;
  readonly pieces: readonly Piece[];
  readonly graphs: readonly GraphCheckpoint[];
  /** Slots of the instance at that moment; absent: it has none. */
  readonly slots?: SlotRecord | typeof MOVING;
  /** Only in a full backup: earlier ones, the oldest first. */
  readonly fulls: readonly FullBackup[];
}

export interface Latest {
  readonly number: number;
  /** As in the manifest; later if there were no further changes to add. */
  readonly time: number;
}

export function manifestName(number: number): string {
  return `${MANIFESTS}${String(number).padStart(10, "0")}.json`;
}

export function objectName(hash: string): string {
  return `${OBJECTS}${hash.slice(0, 2)}/${hash}`;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest)}\n`);
}

/** @throws SvcError SVC3420 */
export function parseManifest(bytes: Buffer, number: number): Manifest {
  const found = parseJson(bytes) as Partial<Manifest>;
  const reason = explainLaterFormat(found.format, FORMAT);
  if (reason !== null) throw new SvcError("SVC3420", `${manifestName(number)}: ${reason}`);
  const isKnown =
    found.format === FORMAT &&
    found.number === number &&
    (found.previous === null || isHash(found.previous)) &&
    [found.time, found.full].every(isCount) &&
    typeof found.continues === "boolean" &&
    isLogPoint(found.log) &&
    isListOf(found.pieces, isPiece) &&
    isListOf(found.graphs, isCheckpoint) &&
    isListOf(found.fulls, isFullBackup) &&
    (found.slots === undefined || found.slots === MOVING || isSlotRecord(found.slots));
  if (isKnown) return found as Manifest;
  throw new SvcError("SVC3420", `${manifestName(number)} is corrupt`);
}

/** Returns null for invalid content: a search for manifests then replaces it. */
export function parseLatest(bytes: Buffer): Latest | null {
  const { number, time } = parseJson(bytes) as Partial<Latest>;
  return isCount(number) && isCount(time) ? { number: number!, time: time! } : null;
}

function parseJson(bytes: Buffer): object {
  try {
    return Object(JSON.parse(bytes.toString()));
  } catch {
    return {};
  }
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isListOf(value: unknown, isItem: (item: never) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isItem(Object(item) as never));
}

function isLogPoint(value: unknown): boolean {
  const { id, sn, chain, at } = Object(value) as Partial<LogPoint>;
  return isIdentity(id) && [sn, chain, at].every(isCount);
}

function isPiece({ path, at, bytes, object }: Partial<Piece>): boolean {
  const isShort = isCount(bytes) && bytes! <= MAX_PIECE_BYTES;
  return isBackupPath(path) && isCount(at) && isShort && isHash(object);
}

function isCheckpoint({ identity, count, digest }: Partial<GraphCheckpoint>): boolean {
  return isIdentity(identity) && isCount(count) && isIdentity(digest);
}

function isFullBackup({ number, hash, log, time }: Partial<FullBackup>): boolean {
  return isCount(number) && isHash(hash) && isLogPoint(log) && isCount(time);
}

const SEGMENT = new RegExp(`^${LOG_FOLDER}/(?:local/)?[0-9a-f]{16}\\.seg$`);
const GRAPH_FILE = /^(?:graph\.snapshot|\.values\/[0-9a-f]{2}\/[0-9a-f]{62})$/;

/** Returns whether a backup may contain this file: no path leaves the data folder. */
function isBackupPath(path: unknown): boolean {
  if (typeof path !== "string" || path.length > 4096) return false;
  if (path === LINEAGE_PATH || SEGMENT.test(path)) return true;
  const parts = path.split("/");
  const length = parts.at(-3) === ".values" ? 3 : 1;
  const folder = parts.slice(0, -length).join("/");
  return isValidGraphPath(folder) && GRAPH_FILE.test(parts.slice(-length).join("/"));
}

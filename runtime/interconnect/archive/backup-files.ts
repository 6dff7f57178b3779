// Copies the files that a full backup contains besides the transaction log: snapshots and external
// values of all graphs, the log of local graphs, and the lineage.

import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../../base/errors.js";
import { LOG_FOLDER, LOG_LOCAL_FOLDER } from "../../base/graph-names.js";
import {
  listStoredGraphs,
  listValues,
  readSnapshotCheckpoint,
  SnapshotFiles,
} from "../../graph/manager/logging-entry-points.js";
import type { Disk } from "../log/disk.js";
import { listSegments } from "../log/segments.js";
import { type GraphCheckpoint, LINEAGE_PATH, type Piece } from "./manifest.js";

const PIECE_BYTES = 2 ** 23;
/** Maximum copies of a snapshot: a save during the copy makes another one necessary. */
const ATTEMPTS = 10;

export interface CopiedFiles {
  readonly pieces: readonly Piece[];
  readonly graphs: readonly GraphCheckpoint[];
}

/** Stores content, and returns the piece that refers to it. */
export type StorePiece = (path: string, at: number, content: Uint8Array) => Promise<Piece>;

/** Copies the files while the instance may be running. @throws CorruptSnapshotError */
export async function copyFiles(root: string, disk: Disk, store: StorePiece): Promise<CopiedFiles> {
  const pieces: Piece[] = [];
  const graphs: GraphCheckpoint[] = [];
  const copy = async (path: string): Promise<void> => {
    pieces.push(...(await copyFile(join(root, path), path, store)));
  };
  // Copy the log first: snapshots may be newer than its end, but not older than its beginning.
  const local = `${LOG_FOLDER}/${LOG_LOCAL_FOLDER}`;
  for (const { name } of listSegments(disk, join(root, local))) await copy(`${local}/${name}`);
  for (const { path } of listStoredGraphs(root)) {
    const { copied, checkpoint } = await copySnapshot(root, path, store);
    pieces.push(...copied);
    if (checkpoint !== null) graphs.push(checkpoint);
    const folder = join(root, path);
    for (const { file } of listValues(folder)) await copy(`${path}${file.slice(folder.length)}`);
  }
  if (existsSync(join(root, LINEAGE_PATH))) await copy(LINEAGE_PATH);
  return { pieces, graphs };
}

interface CopiedSnapshot {
  readonly copied: readonly Piece[];
  readonly checkpoint: GraphCheckpoint | null;
}

/** Copies one consistent snapshot, although saves may replace the file meanwhile. */
async function copySnapshot(
  root: string,
  path: string,
  store: StorePiece,
): Promise<CopiedSnapshot> {
  const { current } = new SnapshotFiles(join(root, path));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { checksum, identity, count, digest } = readSnapshotCheckpoint(current);
    const copied = await copyFile(current, `${path}/graph.snapshot`, store);
    if (readSnapshotCheckpoint(current).checksum !== checksum) continue;
    const isKnown = identity !== null && digest !== null;
    return { copied, checkpoint: isKnown ? { identity, count, digest } : null };
  }
  throw new SvcError("SVC3422", `${current} changes faster than it can be copied`);
}

async function copyFile(file: string, path: string, store: StorePiece): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const handle = await open(file, "r");
  try {
    for (let at = 0; ; ) {
      const content = await readFully(handle, at);
      if (content.length > 0 || at === 0) pieces.push(await store(path, at, content));
      at += content.length;
      if (content.length < PIECE_BYTES) return pieces;
    }
  } finally {
    await handle.close();
  }
}

/** Returns the bytes at a position, fewer at the end. */
async function readFully(handle: FileHandle, position: number): Promise<Buffer> {
  const into = Buffer.allocUnsafe(PIECE_BYTES);
  for (let done = 0; ; ) {
    const { bytesRead } = await handle.read(into, done, into.length - done, position + done);
    done += bytesRead;
    if (bytesRead === 0) return into.subarray(0, done);
  }
}

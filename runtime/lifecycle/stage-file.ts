// Content of slots that an instance has received, durable before its graphs have it: the source may
// give the slots then, and after a crash the content is written to the graphs once more.
//
// The first line is JSON: format, id of the move, a checksum of all but the format, and for each
// content its length among the bytes that follow.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { replaceFileSync } from "../base/durable-files.js";
import { SvcError } from "../base/errors.js";
import { explainLaterFormat } from "../base/later-release.js";
import type { RecordName } from "../graph/log/slot-content.js";

/** In a data folder. */
const STAGE_FILE = "_staged.bin";
const STAGE_FORMAT = 1;
const LINE_FEED = 10;

export interface StagedContent {
  readonly bytes: Uint8Array;
  readonly names: readonly RecordName[];
}

/** By graph and slot. */
export type StagedContents = ReadonlyMap<string, StagedContent>;

interface ListedContent {
  readonly place: string;
  readonly length: number;
  readonly names: readonly RecordName[];
}

interface Head {
  readonly format: number;
  readonly id: string;
  readonly checksum: number;
  readonly contents: readonly ListedContent[];
}

/** @param id of the move */
export function writeStage(root: string, id: string, staged: StagedContents): void {
  const contents = [...staged].map(([place, { bytes, names }]) => {
    return { place, length: bytes.length, names };
  });
  const all = [...staged.values()].map(({ bytes }) => bytes);
  const checksum = all.reduce((sum, bytes) => crc32(bytes, sum), checkList(id, contents));
  const head: Head = { format: STAGE_FORMAT, id, checksum, contents };
  const text = Buffer.from(`${JSON.stringify(head)}\n`);
  const file = join(root, STAGE_FILE);
  try {
    replaceFileSync(file, Buffer.concat([text, ...all]));
  } catch (error) {
    // On a full disk, the log needs the space.
    rmSync(`${file}.tmp`, { force: true });
    throw error;
  }
}

/**
 * Returns the content of a move.
 * @throws SvcError SVC3413 if it is not there, or corrupt; SVC2506 if it is of a later release
 */
export function readStage(root: string, id: string): StagedContents {
  const file = join(root, STAGE_FILE);
  const all = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const end = all.indexOf(LINE_FEED);
  const head = parseHead(all.subarray(0, Math.max(0, end)));
  const reason = explainLaterFormat(head?.format, STAGE_FORMAT);
  if (reason !== null) throw new SvcError("SVC2506", `${file}: ${reason}`);
  const bytes = all.subarray(end + 1);
  const checksum = crc32(bytes, checkList(id, head?.contents));
  if (head === null || head.id !== id || checksum !== head.checksum) {
    throw new SvcError("SVC3413", `${file} lacks the content of the move ${id}, or is corrupt`);
  }
  const staged = new Map<string, StagedContent>();
  let at = 0;
  for (const { place, length, names } of head.contents) {
    staged.set(place, { bytes: Uint8Array.from(bytes.subarray(at, at + length)), names });
    at += length;
  }
  return staged;
}

export function removeStage(root: string): void {
  rmSync(join(root, STAGE_FILE), { force: true });
}

/** A name that differs is as harmful as a value that does. */
function checkList(id: string, contents: readonly ListedContent[] | undefined): number {
  return crc32(JSON.stringify([id, contents]));
}

function parseHead(line: Uint8Array): Head | null {
  try {
    return Object(JSON.parse(Buffer.from(line).toString())) as Head;
  } catch {
    return null;
  }
}

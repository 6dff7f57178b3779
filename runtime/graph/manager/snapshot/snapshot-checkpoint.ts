// Operation count and digest of a snapshot, read from the file without loading the graph.

import { readIdentity } from "../../memory/graph-identity.js";
import { HEADER_WORDS, Header } from "../../memory/layout.js";
import { DIGEST_VERSION, DIGEST_WORDS, digestText } from "../../store/content-digest.js";
import { CorruptSnapshotError } from "./snapshot-format.js";
import { SnapshotReader } from "./snapshot-reader.js";

export interface SnapshotCheckpoint {
  readonly name: string;
  /** Distinguishes this file from all other snapshots of the graph. */
  readonly checksum: number;
  /** Null: the snapshot predates identities. */
  readonly identity: string | null;
  readonly count: number;
  /** Digest of the contents; null: not maintained. */
  readonly digest: string | null;
}

/** @throws CorruptSnapshotError, DataError, or file system errors */
export function readSnapshotCheckpoint(file: string): SnapshotCheckpoint {
  const reader = new SnapshotReader(file);
  try {
    const { name, arenas, operationCount: count, checksum } = reader.header;
    const position = arenas.findIndex((arena) => arena.name === "header");
    const isReadable = position >= 0 && arenas[position]!.words <= HEADER_WORDS;
    if (!isReadable) throw new CorruptSnapshotError("invalid header");
    const words = new Uint32Array(HEADER_WORDS);
    reader.readArena(position, words);
    const isMaintained = words[Header.DigestVersion] === DIGEST_VERSION;
    const sums = words.subarray(Header.Digest, Header.Digest + DIGEST_WORDS);
    const digest = isMaintained ? digestText(sums) : null;
    return { name, checksum, identity: readIdentity({ header: { words } }), count, digest };
  } finally {
    reader.close();
  }
}

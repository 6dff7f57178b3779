// Loads a graph from its folder. All content is validated; if the snapshot is corrupt, the previous
// one is used, never an empty graph. A corrupt delta is ignored.
//
// Checksums detect accidental corruption, but not deliberate manipulation. A manipulated file can
// cause wrong results or endless searches. It can neither crash the process nor read other memory,
// because all references are offsets that are checked against their arena.

import { existsSync, renameSync } from "node:fs";
import type { LogLine } from "../../../base/log-settings.js";
import {
  allocateGraphMemory,
  GraphMemory,
  type SharedGraphMemory,
  type SharedLogMemory,
} from "../../memory/graph-memory.js";
import {
  type ArenaName,
  CHUNKS_PER_ARENA,
  DirtyMark,
  enlargeAboveWords,
  HEADER_WORDS,
  Header,
  type MemorySize,
  maxWords,
} from "../../memory/layout.js";
import { CapacityError, DataError } from "../../model/errors.js";
import { removeIfUnreferenced } from "../../operations/vertices.js";
import { GraphStore } from "../../store/graph-store.js";
import { storeDigest } from "../../store/verify-digest.js";
import { removeOrphanedValues } from "./remove-orphaned-values.js";
import { arenaId, resetAfterLoad } from "./reset-after-load.js";
import { SnapshotFiles } from "./snapshot-files.js";
import {
  CorruptSnapshotError,
  countChunks,
  isSameSnapshot,
  type SnapshotIdentity,
} from "./snapshot-format.js";
import { openDelta, readSnapshotHeader, SnapshotReader } from "./snapshot-reader.js";

export interface LoadOptions {
  /** Receives a line for each corrupt snapshot that was skipped. */
  readonly warn?: LogLine;
  /** Log memory for changes of the graph. */
  readonly log?: SharedLogMemory | null;
  /** True if the folder is writable (default: true). */
  readonly isStorable?: boolean;
  /** Default: size of the stored graph. A graph that does not fit in small memory gets "auto". */
  readonly size?: MemorySize | undefined;
}

/** Remedy shown in error messages. */
const REMEDY =
  "the file was not modified: make it readable, or restore it from a backup; the graph " +
  "is reloaded at its next use, without a restart";

interface ShareParts extends Pick<SharedGraphMemory, "log" | "values"> {
  readonly size: MemorySize | undefined;
}

/**
 * Loads a graph; null if the folder has no snapshot.
 * @param thread number of the calling thread
 * @throws DataError if all snapshots are corrupt, or belong to another graph
 */
export function loadGraph(
  name: string,
  folder: string,
  thread: number,
  options: LoadOptions = {},
): GraphStore | null {
  const files = new SnapshotFiles(folder);
  const { log = null, isStorable = true, size } = options;
  const share = { log, values: { folder, isWritable: isStorable }, size };
  const current = tryLoad(name, files, files.current, thread, share, options.warn);
  if (current instanceof GraphStore) {
    if (isStorable) removeOrphanedValues(current, folder, options.warn);
    return current;
  }
  const previous = tryLoad(name, files, files.previous, thread, share, options.warn);
  if (current === null && previous === null) return null;
  const reasonOf = (result: unknown): string =>
    result instanceof CorruptSnapshotError ? result.message : "file is missing";
  const reasons = [
    `${files.current}: ${reasonOf(current)}`,
    `${files.previous}: ${reasonOf(previous)}`,
  ];
  if (!(previous instanceof GraphStore)) {
    throw new DataError(`graph "${name}" failed to load: ${reasons.join("; ")}; ${REMEDY}`);
  }
  options.warn?.(`graph "${name}": using the previous snapshot: ${reasons[0]}`, "warn");
  if (current !== null) moveCorruptAside(files);
  return previous;
}

/** Returns the graph, the reason why the file is corrupt, or null if there is no file. */
function tryLoad(
  name: string,
  files: SnapshotFiles,
  file: string,
  thread: number,
  share: ShareParts,
  warn?: LogLine,
): GraphStore | CorruptSnapshotError | null {
  try {
    const delta = findDelta(files, file);
    try {
      if (delta !== null) return loadFrom(openDelta(delta, file), name, thread, share);
    } catch (error) {
      if (!(error instanceof CorruptSnapshotError)) throw error;
      warn?.(
        `graph "${name}": ignoring changes of a corrupt file: ${delta}: ${error.message}`,
        "warn",
      );
    }
    return loadFrom(new SnapshotReader(file), name, thread, share);
  } catch (error) {
    if (error instanceof CorruptSnapshotError) return error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // A file the disk cannot read is treated as corrupt.
    if (code === "EIO") return new CorruptSnapshotError("read error: EIO");
    const text = `graph "${name}" failed to load: ${file}: ${(error as Error).message}`;
    // The file itself is intact.
    if (error instanceof CapacityError) throw new DataError(text, { cause: error });
    throw new DataError(`${text}; ${REMEDY}`, { cause: error });
  }
}

/** Returns the delta of a snapshot, or null. */
function findDelta({ delta, previousDelta }: SnapshotFiles, file: string): string | null {
  const deltas = [delta, previousDelta].filter((path) => existsSync(path));
  if (deltas.length === 0) return null;
  const snapshot = readSnapshotHeader(file);
  return deltas.find((path) => isDeltaOf(path, snapshot)) ?? null;
}

function isDeltaOf(file: string, snapshot: SnapshotIdentity): boolean {
  try {
    const { base } = readSnapshotHeader(file);
    return base !== null && isSameSnapshot(base, snapshot);
  } catch (error) {
    // A delta with a corrupt header names no snapshot.
    if (error instanceof CorruptSnapshotError) return false;
    throw error;
  }
}

/** Loads a graph and closes the reader. */
function loadFrom(
  reader: SnapshotReader,
  name: string,
  thread: number,
  share: ShareParts,
): GraphStore {
  try {
    if (reader.header.name !== name) {
      throw new DataError(`file contains graph "${reader.header.name}"`);
    }
    return load(reader, thread, share);
  } finally {
    reader.close();
  }
}

/** @throws CorruptSnapshotError */
function load(reader: SnapshotReader, thread: number, share: ShareParts): GraphStore {
  const { log, values } = share;
  const { size, isLarge } = memoryNeeded(reader, share.size);
  const allocated = allocateGraphMemory(reader.header.name, log, values, size, isLarge);
  const memory = new GraphMemory(allocated);
  reader.header.arenas.forEach(({ name, words }, position) => {
    const arena = memory.arenas[arenaId(name)]!;
    if (words > arena.capacity) throw new CorruptSnapshotError("invalid header");
    if (words > arena.words.length) arena.grow(words);
    reader.readArena(position, arena.words.subarray(0, words));
  });
  memory.header.words[Header.IsSmall] = size === "small" ? 1 : 0;
  const held = resetAfterLoad(memory, reader.header);
  markDelta(memory, reader);
  const store = GraphStore.attach(memory.share, thread);
  store.writer.mutate(() => {
    for (const vertex of held) removeIfUnreferenced(store, vertex);
    store.texts.dropOutdated();
  });
  storeDigest(store);
  return store;
}

/** Restores the dirty marks of the chunks in the loaded delta: the next delta must contain them. */
function markDelta({ header, dirty }: GraphMemory, reader: SnapshotReader): void {
  const { base, checksum, version, arenas } = reader.header;
  if (version < 2) return;
  header.words[Header.BaseChecksum] = base?.checksum ?? checksum;
  if (base === null) return;
  for (const [position, { name, words }] of arenas.entries()) {
    const first = arenaId(name) * CHUNKS_PER_ARENA;
    for (let chunk = 0; chunk < countChunks(words); chunk++) {
      if (reader.hasChunk(position, chunk)) dirty.words[first + chunk] = DirtyMark.Saved;
    }
  }
}

interface MemoryNeeded {
  readonly size: MemorySize;
  /** Whether all addresses of an arena are reserved at once. */
  readonly isLarge: (arena: ArenaName) => boolean;
}

/** Returns the wanted or stored size; automatic if the contents do not fit into small memory. */
function memoryNeeded(reader: SnapshotReader, requestedSize: MemorySize | undefined): MemoryNeeded {
  const { arenas } = reader.header;
  const header = new Uint32Array(HEADER_WORDS);
  const position = arenas.findIndex(({ name }) => name === "header");
  // A file with such a header is rejected later.
  if (position < 0 || arenas[position]!.words > HEADER_WORDS) {
    return { size: "large", isLarge: () => true };
  }
  reader.readArena(position, header);
  const size = requestedSize ?? (header[Header.IsSmall] === 1 ? "small" : "auto");
  const hasVectors = header[Header.VectorCount] !== 0 || header[Header.VectorFields] !== 0;
  const fits = arenas.every(({ name, words }) => words <= maxWords(name as ArenaName, size));
  if (size === "small" && fits && !hasVectors) return { size, isLarge: () => false };
  if (size === "large") return { size, isLarge: () => true };
  const large = arenas.filter(({ name, words }) => {
    return words > enlargeAboveWords(name as ArenaName) || (name === "vectors" && hasVectors);
  });
  return { size: "auto", isLarge: (arena) => large.some(({ name }) => name === arena) };
}

/** Moves the corrupt file away: the next save would replace the intact previous snapshot by it. */
function moveCorruptAside(files: SnapshotFiles): void {
  try {
    if (existsSync(files.current)) renameSync(files.current, files.damaged);
  } catch {
    // Ignored: a read-only folder prevents saves, which report it, not loads.
  }
}

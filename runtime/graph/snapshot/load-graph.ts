// Reads a graph from its folder. Nothing that a file says is believed before it is checked: a
// damaged snapshot gives way to the previous one, never to an empty graph.
//
// The checksums find every accident. They cannot find what somebody wrote on purpose: such a file
// can give wrong answers, or make a search go on for ever, but it cannot make the process crash or
// read anything but the graph: all pointers are indexes, which are checked against their arena.

import { existsSync, renameSync } from "node:fs";
import type { LogLine } from "../../base/log-settings.js";
import { dropIfUnreferenced } from "../changes/vertices.js";
import {
  allocateGraphMemory,
  GraphMemory,
  type SharedGraphMemory,
  type SharedLogMemory,
} from "../memory/graph-memory.js";
import { CapacityError, DataError } from "../model/errors.js";
import { GraphStore } from "../store/graph-store.js";
import { storeDigest } from "../store/verify-digest.js";
import { CorruptSnapshotError } from "./corrupt-snapshot.js";
import { removeOrphanedValues } from "./remove-orphaned-values.js";
import { resetAfterLoad } from "./reset-after-load.js";
import { SnapshotFiles } from "./snapshot-files.js";
import { SnapshotReader } from "./snapshot-reader.js";
import { arenaId } from "./stored-arenas.js";

export interface LoadOptions {
  /** Gets a line for each snapshot that was found damaged and passed over. */
  readonly warn?: LogLine;
  /** Where changes of the graph are to go. */
  readonly log?: SharedLogMemory | null;
  /** The folder may be written to. Default true. */
  readonly isStorable?: boolean;
}

/** What helps, for who reads the log at night. */
const REMEDY =
  "nothing of it was changed; make the file readable, or restore it from a backup: the next use " +
  "of the graph reads it again, without a restart";

type ShareParts = Pick<SharedGraphMemory, "log" | "values">;

/**
 * Loads a graph; null if none is stored in the folder.
 * @param thread number of the calling thread
 * @throws DataError every snapshot there is is damaged, or is not this graph's
 */
export function loadGraph(
  name: string,
  folder: string,
  thread: number,
  options: LoadOptions = {},
): GraphStore | null {
  const files = new SnapshotFiles(folder);
  const { log = null, isStorable = true } = options;
  const share = { log, values: { folder, isWritable: isStorable } };
  const current = tryLoad(name, files.current, thread, share);
  if (current instanceof GraphStore) {
    if (isStorable) removeOrphanedValues(current, folder, options.warn);
    return current;
  }
  const previous = tryLoad(name, files.previous, thread, share);
  if (current === null && previous === null) return null;
  const reasonOf = (found: unknown): string =>
    found instanceof CorruptSnapshotError ? found.message : "it is missing";
  const reasons = [
    `${files.current}: ${reasonOf(current)}`,
    `${files.previous}: ${reasonOf(previous)}`,
  ];
  if (!(previous instanceof GraphStore)) {
    throw new DataError(`graph "${name}" cannot be loaded: ${reasons.join("; ")}; ${REMEDY}`);
  }
  options.warn?.(`graph "${name}": the previous snapshot is used; ${reasons[0]}`, "warn");
  if (current !== null) putAside(files);
  return previous;
}

/** The graph, why it cannot be used, or null if there is no such file. */
function tryLoad(
  name: string,
  file: string,
  thread: number,
  share: ShareParts,
): GraphStore | CorruptSnapshotError | null {
  let reader: SnapshotReader | null = null;
  try {
    reader = new SnapshotReader(file);
    if (reader.header.name !== name) {
      throw new DataError(`it holds the graph "${reader.header.name}"`);
    }
    return load(reader, thread, share);
  } catch (error) {
    if (error instanceof CorruptSnapshotError) return error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    // What the disk cannot give any more is as good as damaged.
    if (code === "EIO") return new CorruptSnapshotError("it cannot be read: EIO");
    const text = `graph "${name}" cannot be loaded: ${file}: ${(error as Error).message}`;
    // Its file is as good as ever.
    if (error instanceof CapacityError) throw new DataError(text, { cause: error });
    throw new DataError(`${text}; ${REMEDY}`, { cause: error });
  } finally {
    reader?.close();
  }
}

/** @throws CorruptSnapshotError */
function load(reader: SnapshotReader, thread: number, share: ShareParts): GraphStore {
  const memory = new GraphMemory(allocateGraphMemory(reader.header.name, share.log, share.values));
  reader.header.arenas.forEach(({ name, words }, place) => {
    const arena = memory.arenas[arenaId(name)]!;
    if (words > arena.capacity) throw new CorruptSnapshotError("its header makes no sense");
    if (words > arena.words.length) arena.grow(words);
    reader.readArena(place, arena.words.subarray(0, words));
  });
  const held = resetAfterLoad(memory, reader.header);
  const store = GraphStore.attach(memory.share, thread);
  for (const vertex of held) dropIfUnreferenced(store, vertex);
  storeDigest(store);
  return store;
}

/** So that the next save keeps the good one. Where it cannot be moved the save will tell. */
function putAside(files: SnapshotFiles): void {
  try {
    if (existsSync(files.current)) renameSync(files.current, files.damaged);
  } catch {
    // A folder that cannot be written to is a reason to refuse saves, not loads.
  }
}

// Adds the state of a data folder to a backup, step by step. A step stores objects, and then the
// manifest that lists them, so an interrupted step leaves the backup unchanged. A backup has one
// writer: a second one fails, because the manifest that it wants to write exists.

import { isDeepStrictEqual } from "node:util";
import { compress } from "../../base/async-calls.js";
import { SvcError } from "../../base/errors.js";
import { LOG_FOLDER } from "../../base/graph-names.js";
import { findSlotRecord } from "../../base/kept-slots.js";
import type { Disk } from "../log/disk.js";
import { sequenceFromFileName } from "../log/segment-format.js";
import { BackupChain, type ReadManifest } from "./backup-chain.js";
import { copyFiles } from "./backup-files.js";
import { LogGapError, LogPieces, type LogTail } from "./log-pieces.js";
import {
  encodeManifest,
  type FullBackup,
  type GraphCheckpoint,
  LATEST,
  type Manifest,
  MOVING,
  manifestName,
  objectName,
  type Piece,
  sha256,
} from "./manifest.js";
import type { ObjectStore } from "./object-store.js";
import { removeExpired, selectRetainedFulls } from "./prune-backup.js";

/** Higher levels take three times as long for a tenth less. */
const COMPRESSION = { level: 1 };

/** The data folder, which may belong to another process. */
export interface ArchiveSource {
  readonly root: string;
  readonly disk: Disk;
  /** Returns the last durable transaction. */
  readonly safe: () => number;
  /** Resolves when the log contains what the snapshots contain. */
  readonly settle: () => Promise<unknown>;
  /** Returns digests of the current contents of graphs, as far as they are known. */
  readonly checkpoints: () => readonly GraphCheckpoint[];
  /** True if graphs may have been replaced since the last backup. */
  readonly isReplica: boolean;
}

export interface ArchiveOptions {
  /** Milliseconds between full backups. */
  readonly fullMs: number;
  /** Milliseconds in the past for which any moment can be restored. */
  readonly keepMs: number;
}

/** Content of a manifest while it is collected. */
interface Step {
  tail: LogTail | null;
  continues: boolean;
  /** Pieces of the log since the step began. */
  readonly added: Piece[];
  /** Slots when the step began. */
  readonly slots: Manifest["slots"];
}

export class ArchiveWriter {
  readonly #store: ObjectStore;
  readonly #chain: BackupChain;
  readonly #source: ArchiveSource;
  readonly #options: ArchiveOptions;
  readonly #log: LogPieces;
  /** Null: not read yet, or no backup. */
  #last: ReadManifest | null = null;
  #full: ReadManifest | null = null;
  #tail: LogTail | null = null;
  /** Pieces of the segments that the log still has. */
  #pieces: readonly Piece[] = [];
  /** Objects that are known to exist. */
  readonly #stored = new Set<string>();
  /** True after another process wrote to this backup: only the same log may continue it. */
  #hasConflict = false;
  #removalError: Error | null = null;

  constructor(store: ObjectStore, source: ArchiveSource, options: ArchiveOptions) {
    this.#store = store;
    this.#chain = new BackupChain(store);
    this.#source = source;
    this.#options = options;
    this.#log = new LogPieces(source.disk, source.root);
  }

  /** End of the log in the backup; null: there is none yet. */
  get tail(): LogTail | null {
    return this.#tail;
  }

  /** Failure to remove expired parts in the last step, whose backup is complete. */
  get removalError(): Error | null {
    return this.#removalError;
  }

  /**
   * Adds new changes to the backup.
   * @returns the manifest; null: there were no changes
   * @throws SvcError SVC3050, SVC3420, SVC3422
   */
  async step(): Promise<Manifest | null> {
    this.#removalError = null;
    if (await this.#mustOpen()) await this.#open();
    const time = Date.now();
    const slots = readSlots(this.#source.root);
    const step: Step = { tail: this.#tail, continues: this.#tail !== null, added: [], slots };
    await this.#addLog(step);
    if (this.#hasConflict && !step.continues) throw this.#conflict();
    // Also if the last one is of the future, because the clock was set back.
    const isDue = (full: Manifest): boolean => Math.abs(time - full.time) >= this.#options.fullMs;
    const isFull = !step.continues || isDue(this.#full!.manifest);
    const isSame = isDeepStrictEqual(slots, this.#last?.manifest.slots);
    if (!isFull && isSame && step.added.length === 0) {
      await this.#nameLatest(this.#last!.manifest.number, time);
      return null;
    }
    const manifest = isFull ? await this.#fullManifest(step, time) : this.#partManifest(step, time);
    const before = this.#full?.manifest ?? null;
    await this.#finish(manifest, step);
    if (isFull) {
      await removeExpired(this.#store, manifest, before, time).catch((error: Error) => {
        this.#removalError = error;
      });
    }
    return manifest;
  }

  /**
   * Returns whether the backup must be read: for the first time, after a failure, or because its
   * location was emptied or reset. Nothing may follow a manifest that the location lacks.
   */
  async #mustOpen(): Promise<boolean> {
    if (this.#last === null || this.#full === null) return true;
    const latest = await this.#chain.latest();
    if (latest === null || latest.number < this.#last.manifest.number) return true;
    // If it was emptied during the last step, what that step wrote afterwards is there.
    return !(await this.#store.has(manifestName(this.#full.manifest.number)));
  }

  async #open(): Promise<void> {
    const chain = this.#chain;
    const end = await chain.end();
    if (end === null) this.#hasConflict = false;
    this.#last = null;
    this.#full = null;
    this.#tail = null;
    this.#stored.clear();
    this.#pieces = [];
    if (end === null) return;
    // A full backup comes next; only the number of what is there counts.
    if (await chain.wasEmptiedBefore(end.manifest)) {
      this.#last = end;
      return;
    }
    const pieces: Piece[] = [];
    let last: ReadManifest | null = null;
    for await (const read of chain.since(end, end.manifest.full)) {
      if (read.manifest.number === end.manifest.full) this.#full = read;
      last = read;
      if (this.#source.isReplica) continue;
      for (const piece of read.manifest.pieces) this.#stored.add(piece.object);
      pieces.push(...read.manifest.pieces.filter(isLogPiece));
    }
    this.#pieces = pieces;
    this.#tail = tailAfter(last!.manifest, pieces);
    // Only now: after a failure before, the next step reads the backup again.
    this.#last = last;
  }

  /** Adds new transactions; the whole log if it does not continue the backup. */
  async #addLog(step: Step): Promise<void> {
    try {
      await this.#readLog(step);
    } catch (error) {
      if (!(error instanceof LogGapError) || !step.continues) throw error;
      step.continues = false;
      step.added.length = 0;
      step.tail = null;
      await this.#readLog(step);
    }
    if (step.tail !== null) return;
    throw new SvcError("SVC3050", `no transaction log in ${this.#source.root}`);
  }

  async #readLog(step: Step): Promise<void> {
    for (const piece of this.#log.read(step.tail, this.#source.safe())) {
      const { path, at, content, tail, isComplete } = piece;
      if (step.continues && !isComplete) throw new LogGapError("a graph was replaced");
      step.added.push(await this.#put(path, at, content));
      step.tail = tail;
    }
  }

  async #fullManifest(step: Step, time: number): Promise<Manifest> {
    const { root, disk, settle } = this.#source;
    const files = await copyFiles(root, disk, (...piece) => this.#put(...piece));
    await settle();
    await this.#addLog(step);
    const { number, previous } = this.#next();
    const log = [...this.#kept(step), ...step.added];
    const known = [...(this.#full?.manifest.fulls ?? []), ...asFull(this.#full)];
    return {
      ...{ format: 1, number, previous, time, full: number, continues: step.continues },
      ...{ log: pointOf(step.tail!), pieces: [...files.pieces, ...log], graphs: files.graphs },
      ...slotsSince(root, step.slots),
      fulls: selectRetainedFulls(known, time, this.#options.keepMs),
    };
  }

  #partManifest({ tail, added, slots }: Step, time: number): Manifest {
    const { number, previous } = this.#next();
    return {
      ...{ format: 1, number, previous, time, full: this.#full!.manifest.number, continues: true },
      ...{ log: pointOf(tail!), pieces: added, graphs: this.#source.checkpoints(), fulls: [] },
      ...slotsSince(this.#source.root, slots),
    };
  }

  #next(): Pick<Manifest, "number" | "previous"> {
    return { number: (this.#last?.manifest.number ?? 0) + 1, previous: this.#last?.hash ?? null };
  }

  /** Returns the pieces of earlier steps whose segments the log still has. */
  #kept({ continues }: Step): Piece[] {
    if (!continues) return [];
    const names = new Set(this.#log.segments().map(({ name }) => `${LOG_FOLDER}/${name}`));
    return this.#pieces.filter(({ path }) => names.has(path));
  }

  /** Writes the manifest, by which the stored objects become part of the backup. */
  async #finish(manifest: Manifest, step: Step): Promise<void> {
    const bytes = encodeManifest(manifest);
    const name = manifestName(manifest.number);
    // After a failure from here on, the next step reads the backup again.
    this.#last = null;
    if (!(await this.#store.putNew(name, bytes))) {
      this.#hasConflict = true;
      throw this.#conflict();
    }
    if (await this.#wasReplaced(manifest, step)) {
      await this.#store.remove(name);
      const reason = "its content was removed or replaced meanwhile; the next backup begins again";
      throw new SvcError("SVC3422", `${this.#store.uri}: ${reason}`);
    }
    this.#pieces = [...this.#kept(step), ...step.added];
    this.#tail = step.tail;
    this.#last = { manifest, hash: sha256(bytes) };
    if (manifest.full === manifest.number) {
      this.#full = this.#last;
      this.#stored.clear();
    }
    for (const { object } of manifest.pieces) this.#stored.add(object);
    await this.#nameLatest(manifest.number, manifest.time);
  }

  /** Returns whether the location lost the preceding manifest, or what the step stored first. */
  async #wasReplaced({ number, previous, pieces }: Manifest, { added }: Step): Promise<boolean> {
    const before = previous === null ? null : await this.#chain.read(number - 1);
    if (before?.hash !== (previous ?? undefined)) return true;
    const first = added[0] ?? pieces[0];
    return first !== undefined && !(await this.#store.has(objectName(first.object)));
  }

  #conflict(): SvcError {
    return new SvcError("SVC3422", `${this.#store.uri}: another process writes to this backup`);
  }

  async #nameLatest(number: number, time: number): Promise<void> {
    await this.#store.put(LATEST, Buffer.from(`${JSON.stringify({ number, time })}\n`));
  }

  async #put(path: string, at: number, content: Uint8Array): Promise<Piece> {
    const stored = await compress(content, COMPRESSION);
    const object = sha256(stored);
    if (!this.#stored.has(object)) await this.#store.put(objectName(object), stored);
    return { path, at, bytes: content.length, object };
  }
}

function readSlots(root: string): Manifest["slots"] {
  const record = findSlotRecord(root);
  if (record === null) return undefined;
  return record.move === null ? record : MOVING;
}

/** Returns the slots of a step; `MOVING` if they changed while the log was read. */
function slotsSince(root: string, before: Manifest["slots"]): Pick<Manifest, "slots"> {
  const slots = readSlots(root);
  if (slots === undefined) return {};
  return { slots: isDeepStrictEqual(slots, before) ? slots : MOVING };
}

function isLogPiece({ path }: Piece): boolean {
  return path.startsWith(`${LOG_FOLDER}/`) && path.split("/").length === 2;
}

function pointOf({ id, sn, chain, at }: LogTail): Manifest["log"] {
  return { id, sn, chain, at };
}

function asFull(full: ReadManifest | null): FullBackup[] {
  if (full === null) return [];
  const { number, log, time } = full.manifest;
  return [{ number, hash: full.hash, log, time }];
}

/** Returns the end of the log in a backup. */
function tailAfter({ log }: Manifest, pieces: readonly Piece[]): LogTail | null {
  const last = pieces.at(-1);
  if (last === undefined) return null;
  const firstSn = sequenceFromFileName(last.path.split("/").at(-1)!)!;
  return { ...log, firstSn, offset: last.at + last.bytes };
}

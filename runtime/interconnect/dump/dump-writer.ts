// Writes the files of a dump: first snapshots of all graphs, in a folder that is renamed once
// complete, then exact copies of the log frames, in the same segments.

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOG_FOLDER } from "../../base/graph-names.js";
import {
  openForLogging,
  readSnapshotHeader,
  requireIdentity,
  SnapshotFiles,
} from "../../graph/manager/logging-entry-points.js";
import type { ReplicatedLog } from "../durable-log.js";
import type { DiskFile } from "../log/disk.js";
import { FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from "../log/segment-format.js";
import type { Frame } from "../log/segment-reader.js";
import { readLog } from "../log/segments.js";
import type { SnapshotSource } from "../snapshot-transfer.js";
import { dumpNotUsable, dumpUri } from "./dump-folder.js";

const PART = ".part";

export class DumpWriter {
  readonly #folder: string;
  readonly #log: ReplicatedLog;
  #file: DiskFile | null = null;
  #segment = 0;
  #offset = 0;

  constructor(folder: string, log: ReplicatedLog) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Writes snapshots of all graphs, unless the dump exists. */
  async begin(snapshots: SnapshotSource): Promise<void> {
    if (existsSync(this.#folder)) return;
    const incomplete = `${this.#folder}${PART}`;
    rmSync(incomplete, { recursive: true, force: true });
    const { disk, channel } = this.#log;
    disk.makeFolder(join(incomplete, LOG_FOLDER));
    const open = new Set(channel.stores().map(requireIdentity));
    for (const { identity, name, path } of channel.graphs.all()) {
      if (!open.has(identity)) continue;
      const { current } = new SnapshotFiles(await snapshots.saveNow(name));
      const { folder } = openForLogging(incomplete, path, name);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const copy = new SnapshotFiles(folder).current;
      copyFileSync(current, copy);
      const file = disk.open(copy, "write");
      await file.flush();
      file.close();
      disk.flushFolder(folder);
    }
    renameSync(incomplete, this.#folder);
    disk.flushFolder(dirname(this.#folder));
  }

  /**
   * Opens an existing dump for appending.
   * @returns number of the first missing transaction
   * @throws SvcError SVC3340 if the dump belongs to another log
   */
  resume(): number {
    const { disk, channel } = this.#log;
    const { log } = channel;
    const folder = join(this.#folder, LOG_FOLDER);
    const end = readLog(disk, folder, () => undefined);
    if (end === null || end.offset === 0) return this.#firstNeeded();
    const isInLog = end.nextSn >= log.first && end.nextSn - 1 <= log.durableSn;
    if (end.logId !== log.logId || !isInLog)
      throw dumpNotUsable(dumpUri(this.#folder), "existing dump is from another log, or older");
    this.#file = disk.open(join(folder, end.last.name), "write");
    this.#file.truncate(end.offset);
    this.#segment = end.last.firstSn;
    this.#offset = end.offset;
    return end.nextSn;
  }

  /** Writes a frame, which becomes durable with `flush`. */
  write(frame: Frame): void {
    const { log } = this.#log.channel;
    const { sn } = frame.header;
    const { name, firstSn } = log.segments.findLast((segment) => segment.firstSn <= sn)!;
    if (firstSn !== this.#segment) this.#startSegment(name, firstSn);
    this.#file!.write(frame.bytes, this.#offset);
    this.#offset += frame.bytes.length;
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  /**
   * Returns the first transaction to copy: the start of the segment with the first transaction that
   * the snapshots lack, because the graph table is at the head of a segment.
   */
  #firstNeeded(): number {
    const { channel } = this.#log;
    const { log } = channel;
    const counts = new Map<number, number>();
    for (const { number, name, path } of channel.graphs.all()) {
      const { folder } = openForLogging(this.#folder, path, name);
      const { current } = new SnapshotFiles(folder);
      if (existsSync(current)) counts.set(number, readSnapshotHeader(current).operationCount);
    }
    const needed = channel.firstNeeded(counts);
    return log.segments.findLast(({ firstSn }) => firstSn <= needed)?.firstSn ?? log.first;
  }

  /**
   * Starts a copy of a log segment with its header and graph table. The file is renamed once they
   * are durable: the first segment of a dump would otherwise appear corrupt after a crash.
   */
  #startSegment(name: string, firstSn: number): void {
    const { disk, channel } = this.#log;
    this.#file?.flushNow();
    this.close();
    const source = readFileSync(join(channel.log.folder, name));
    const table = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES + source.readUInt32LE(68);
    const folder = join(this.#folder, LOG_FOLDER);
    const path = join(folder, name);
    const head = disk.create(`${path}${PART}`);
    head.write(source.subarray(0, table), 0);
    head.flushNow();
    head.close();
    renameSync(`${path}${PART}`, path);
    disk.flushFolder(folder);
    this.#file = disk.open(path, "write");
    this.#segment = firstSn;
    this.#offset = table;
  }
}

// A backup in memory of a made-up log, and the steps that a test makes.

import type { Test } from "uvu";
import {
  type ArchiveSource,
  ArchiveWriter,
} from "../../../../runtime/interconnect/archive/archive-writer.js";
import type { Manifest } from "../../../../runtime/interconnect/archive/manifest.js";
import type { SegmentLog } from "../../../../runtime/interconnect/log/segment-log.js";
import { MemoryStore } from "./memory-store.js";
import { SimulatedDisk } from "./simulated-disk.js";
import { makeTransaction, openUnits, ROOT, write } from "./unit-log.js";

export const FULL_MS = 1000;
const realNow = Date.now;

export interface MadeUpArchive {
  disk: SimulatedDisk;
  log: SegmentLog;
  store: MemoryStore;
  writer: ArchiveWriter;
  /** Objects that were stored, in their order. */
  puts: string[];
  settled: number;
  count: number;
}

export function withArchive(test: Test<MadeUpArchive>): void {
  test.before.each((context) => {
    Object.assign(context, { disk: new SimulatedDisk(), store: new MemoryStore() });
    Object.assign(context, { log: openUnits(context.disk), puts: [], settled: 0, count: 0 });
    const { store, puts } = context;
    const put = store.put.bind(store);
    store.put = async (name, content) => {
      if (name.startsWith("objects/")) puts.push(name);
      await put(name, content);
    };
    context.writer = createWriter(context);
    setTime(1_000_000);
  });
  test.after.each(({ log }) => {
    Date.now = realNow;
    log.close();
  });
}

export function setTime(time: number): void {
  Date.now = () => time;
}

export function createWriter(
  context: MadeUpArchive,
  more: Partial<ArchiveSource> = {},
): ArchiveWriter {
  const checkpoints = () => [{ identity: "d".repeat(32), count: 1, digest: "e".repeat(32) }];
  const settle = async () => void context.settled++;
  const source = { root: ROOT, disk: context.disk, safe: () => context.log.durableSn, settle };
  const options = { fullMs: FULL_MS, keepMs: 10 * FULL_MS };
  const input = { ...source, checkpoints, isReplica: false, ...more };
  return new ArchiveWriter(context.store, input, options);
}

/** Writes one transaction per frame. */
export function change(context: MadeUpArchive, times = 1, words = 2): void {
  for (let remaining = times; remaining > 0; remaining--) {
    write(context.log, makeTransaction({ before: context.count++, second: 7, words }));
  }
}

/** The parts of a manifest that tell which step it was. */
export function manifestKind(manifest: Manifest | null) {
  if (manifest === null) return null;
  const { number, full, continues, log, pieces, fulls } = manifest;
  return [
    number,
    full,
    continues,
    log.sn,
    pieces.length,
    fulls.map((fullManifest) => fullManifest.number).join(),
  ];
}

// Graphs with a transaction log in a temporary data folder, in this thread.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { OpenGraphRequest } from "../../../../runtime/graph/manager/graph-manager.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import {
  Interconnect,
  type InterconnectSettings,
} from "../../../../runtime/interconnect/interconnect.js";
import { type Disk, realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { TEST_THREAD } from "../../graph/support/make-graph.js";

export interface LoggedFolder {
  root: string;
  lines: string[];
  running: { interconnect: Interconnect; clock: CommitClock }[];
}

export function makeFolder(context: LoggedFolder): void {
  context.root = mkdtempSync(join(tmpdir(), "svc-log-"));
  context.lines = [];
  context.running = [];
}

export async function removeFolder({ root, running }: LoggedFolder): Promise<void> {
  for (const { interconnect } of running.splice(0)) await interconnect.closeLog();
  rmSync(root, { recursive: true });
}

/** Starts like the thread that manages graphs; a previous one counts as killed. */
export function begin(
  { root, lines, running }: LoggedFolder,
  disk: Disk = realDisk,
  clock = new CommitClock(),
  more: Partial<InterconnectSettings> = {},
) {
  const settings = {
    ...{ root, readonly: false, graphs: {}, durability: "async" as const },
    ...{ events: false, saveEvery: 0 },
    ...{
      ip: null,
      txPort: null,
      attach: [],
      txKeyFile: null,
      publishStream: null,
      followStream: null,
      archive: null,
      leadership: null,
    },
    ...more,
  };
  const log = (line: string): number => lines.push(line);
  const interconnect = new Interconnect(TEST_THREAD, settings, clock, log, disk);
  running.push({ interconnect, clock });
  return { interconnect, clock };
}

export function request(root: string, name: string): OpenGraphRequest {
  const folder = join(root, name);
  return { name, path: name, folder, isStorable: true, isLocal: false, isReadonly: false };
}

export function keep({ root }: LoggedFolder, interconnect: Interconnect, name = "g"): GraphStore {
  return GraphStore.attach(interconnect.keep(request(root, name)).share, TEST_THREAD + 1);
}

export async function isFlushed(clock: CommitClock): Promise<boolean> {
  return clock.wait(clock.nextFlush);
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

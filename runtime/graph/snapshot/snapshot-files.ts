// The files of one graph's folder, and how a new snapshot takes the place of the old one: at every
// moment `graph.snapshot` or else `graph.snapshot.old` is a whole one.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const NAMES = {
  current: "graph.snapshot",
  previous: "graph.snapshot.old",
  /** Being written; one that is found after a crash means nothing. */
  temporary: "graph.snapshot.tmp",
  /** Found damaged and put aside, so that the next save does not take it for the previous one. */
  damaged: "graph.snapshot.damaged",
} as const;

export class SnapshotFiles {
  readonly folder: string;
  readonly current: string;
  readonly previous: string;
  readonly temporary: string;
  readonly damaged: string;

  constructor(folder: string) {
    this.folder = folder;
    this.current = join(folder, NAMES.current);
    this.previous = join(folder, NAMES.previous);
    this.temporary = join(folder, NAMES.temporary);
    this.damaged = join(folder, NAMES.damaged);
  }

  makeFolder(): void {
    const first = mkdirSync(this.folder, { recursive: true });
    if (first === undefined) return;
    for (let made = this.folder; made.length >= first.length; made = dirname(made)) {
      flushFolder(dirname(made));
    }
  }

  /** Makes what was written and flushed to `temporary` the current snapshot. */
  replace(): void {
    if (existsSync(this.current)) renameSync(this.current, this.previous);
    renameSync(this.temporary, this.current);
    flushFolder(this.folder);
  }

  remove(): void {
    for (const name of Object.values(NAMES)) rmSync(join(this.folder, name), { force: true });
  }
}

/** Makes new and renamed entries of a folder outlive a crash of the system. */
function flushFolder(folder: string): void {
  // Windows cannot open folders, and does not need it.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

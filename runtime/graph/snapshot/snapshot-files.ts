// Files in a graph's folder, and the replacement of a snapshot: at every moment `graph.snapshot` or
// else `graph.snapshot.old` is complete.

import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";

const NAMES = {
  current: "graph.snapshot",
  previous: "graph.snapshot.old",
  /** Being written; after a crash it is garbage, see `removeIncompleteSaves`. */
  temporary: "graph.snapshot.tmp",
  /** Corrupt and moved away, so that the next save does not keep it as the previous one. */
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
    mkdirDurable(this.folder);
  }

  /** Makes the flushed file `temporary` the current snapshot. */
  replace(): void {
    if (existsSync(this.current)) renameSync(this.current, this.previous);
    renameSync(this.temporary, this.current);
    fsyncDirectory(this.folder);
  }

  remove(): void {
    for (const name of Object.values(NAMES)) rmSync(join(this.folder, name), { force: true });
  }
}

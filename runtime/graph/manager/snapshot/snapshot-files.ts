// Files in a graph's folder, and the replacement of a snapshot: at every moment `graph.snapshot` or
// else `graph.snapshot.old` is complete. A delta belongs to the snapshot that its header names, not
// to one by file name, so no order of renames can apply it to a wrong snapshot.

import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../../base/durable-files.js";

const NAMES = {
  current: "graph.snapshot",
  previous: "graph.snapshot.old",
  /** Changes since `current`, and since `previous`. */
  delta: "graph.snapshot.delta",
  previousDelta: "graph.snapshot.delta.old",
  /** Being written; after a crash it is garbage, see `removeIncompleteSaves`. */
  temporary: "graph.snapshot.tmp",
  /** Corrupt snapshot, moved away so that the next save does not keep it as the previous one. */
  damaged: "graph.snapshot.damaged",
} as const;

export class SnapshotFiles {
  readonly folder: string;
  readonly current: string;
  readonly previous: string;
  readonly delta: string;
  readonly previousDelta: string;
  readonly temporary: string;
  readonly damaged: string;

  constructor(folder: string) {
    this.folder = folder;
    this.current = join(folder, NAMES.current);
    this.previous = join(folder, NAMES.previous);
    this.delta = join(folder, NAMES.delta);
    this.previousDelta = join(folder, NAMES.previousDelta);
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
    if (existsSync(this.delta)) renameSync(this.delta, this.previousDelta);
    else rmSync(this.previousDelta, { force: true });
    fsyncDirectory(this.folder);
  }

  /** Makes the flushed file `temporary` the delta of the current snapshot. */
  replaceDelta(): void {
    renameSync(this.temporary, this.delta);
    fsyncDirectory(this.folder);
  }

  /** Removes the previous snapshot to free disk space. */
  removePrevious(): void {
    if (!existsSync(this.current)) return;
    for (const file of [this.previous, this.previousDelta]) rmSync(file, { force: true });
    fsyncDirectory(this.folder);
  }

  remove(): void {
    for (const name of Object.values(NAMES)) rmSync(join(this.folder, name), { force: true });
  }
}

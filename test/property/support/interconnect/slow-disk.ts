// A simulated disk whose flushes take virtual time. Its paths stay the same when a data folder gets
// another name.

import { setTimeout as delay } from "node:timers/promises";
import type { Disk, DiskFile } from "../../../../runtime/interconnect/log/disk.js";
import type { SimulatedDisk } from "../../../runtime/interconnect/support/simulated-disk.js";
import type { Random } from "../random.js";

const SLOW_MS = 2000;

export class SlowDisk implements Disk {
  readonly #disk: SimulatedDisk;
  readonly #root: string;
  readonly #random: Random;

  constructor(disk: SimulatedDisk, root: string, random: Random) {
    this.#disk = disk;
    this.#root = root;
    this.#random = random;
  }

  names(folder: string): string[] {
    return this.#disk.names(this.#within(folder));
  }

  makeFolder(): void {}

  open(path: string): DiskFile {
    return this.#slow(this.#disk.open(this.#within(path)));
  }

  create(path: string): DiskFile {
    // Nothing reads the space in reserve.
    return path.endsWith("reserve") ? RESERVE : this.#slow(this.#disk.create(this.#within(path)));
  }

  remove(path: string): void {
    this.#disk.remove(this.#within(path));
  }

  flushFolder(folder: string): void {
    this.#disk.flushFolder(this.#within(folder));
  }

  freeBytes(): number {
    return Number.POSITIVE_INFINITY;
  }

  #within(path: string): string {
    return path.startsWith(this.#root) ? path.slice(this.#root.length) : path;
  }

  #slow(file: DiskFile): DiskFile {
    const flush = async (): Promise<void> => {
      const isSlow = this.#random.below(100) === 0;
      await delay(1 + this.#random.below(isSlow ? SLOW_MS : 5));
      await file.flush();
    };
    return { ...file, flush };
  }
}

const RESERVE: DiskFile = {
  size: () => 0,
  read: () => 0,
  write: () => undefined,
  flush: async () => undefined,
  flushNow: () => undefined,
  truncate: () => undefined,
  close: () => undefined,
};

// A transaction log in memory with one graph, whose vertices are written one frame each.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import type { ReplicatedLog } from "../../../../runtime/interconnect/durable-log.js";
import { LogChannel } from "../../../../runtime/interconnect/log/log-channel.js";
import { loggedStore } from "../../graph/support/logged-graph.js";
import { openStore } from "../../graph/support/make-graph.js";
import { SimulatedDisk } from "./simulated-disk.js";

export const EPOCH = 5;

/** The end of a frame. */
export interface FrameEnd {
  readonly sn: number;
  readonly chain: number;
}

export class GraphLog implements ReplicatedLog {
  readonly disk = new SimulatedDisk();
  readonly channel = new LogChannel(this.disk, "/log");
  readonly ends: FrameEnd[] = [];
  /** Called before each snapshot of the graph. */
  saving: (name: string) => void = () => undefined;
  readonly #store = loggedStore();
  readonly #listeners = new Set<() => void>();
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-graph-log-"));
  #frameBytes = 0;

  constructor(vertices: readonly string[]) {
    this.channel.log.epoch = EPOCH;
    this.channel.open(this.#store, "g");
    for (const id of vertices) this.write(id);
  }

  get identity(): string {
    return this.channel.graphs.all()[0]!.identity;
  }

  /** Of the last frame. */
  get frameBytes(): number {
    return this.#frameBytes;
  }

  onFlushed(call: () => void): () => void {
    this.#listeners.add(call);
    return () => this.#listeners.delete(call);
  }

  write(id: string): void {
    this.append(id);
    this.channel.log.flushNow();
    this.channel.release();
    for (const call of this.#listeners) call();
  }

  /** Writes without a flush. */
  append(id: string): void {
    openStore(this.#store).createVertex(id);
    this.#frameBytes = this.channel.write(this.#store.memory.log!.clock);
    this.ends.push({ sn: this.channel.log.last, chain: this.channel.log.chain });
  }

  /** Goes on in another segment, as after a failure of the disk. */
  async roll(): Promise<void> {
    this.disk.faults.before = (operation) => {
      if (operation === "flush") throw new Error("EIO");
    };
    await this.channel.log.flush().catch(() => undefined);
    delete this.disk.faults.before;
    this.channel.reopen();
  }

  /** Leaves only the last segment. */
  trim(): void {
    this.channel.trim(() => Number.POSITIVE_INFINITY);
  }

  /** Erases the graph: there is no snapshot of it. */
  erase(): void {
    this.channel.erase(this.identity);
  }

  async saveNow(name: string): Promise<string> {
    this.saving(name);
    saveGraph(this.#store, this.#folder);
    return this.#folder;
  }

  close(): void {
    this.channel.log.close();
    rmSync(this.#folder, { recursive: true });
    assert.equal([this.disk.openFiles, this.#listeners.size], [0, 0]);
  }
}

// A transaction log that is dumped, step by step: its graphs, and operations of the disk.

import { join, relative } from "node:path";
import { LOG_FOLDER } from "../../../../runtime/base/graph-names.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { graphFolder } from "../../../../runtime/graph/manager/snapshot/stored-graphs.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import type { ReplicatedLog } from "../../../../runtime/interconnect/durable-log.js";
import { type Disk, realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { LogChannel } from "../../../../runtime/interconnect/log/log-channel.js";
import { makeLog } from "../../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../../graph/support/make-graph.js";
import { changedDisk } from "./changed-disk.js";

export const DUMP = "opdump_1.tx";

export class DumpedLog implements ReplicatedLog {
  readonly root: string;
  readonly folder: string;
  readonly disk: Disk;
  readonly channel: LogChannel;
  /** Operations on files and folders of the dump. */
  readonly steps: string[] = [];
  readonly listeners = new Set<() => void>();
  openFiles = 0;
  /** Called after each write to the dump. */
  written: () => void = () => undefined;
  #isFailing = false;
  readonly #graphs = new Map<string, { readonly store: GraphStore; readonly folder: string }>();

  constructor(root: string) {
    this.root = root;
    this.folder = join(root, DUMP);
    this.disk = this.#recordingDisk();
    this.channel = new LogChannel(this.disk, join(root, LOG_FOLDER));
  }

  onFlushed(call: () => void): () => void {
    this.listeners.add(call);
    return () => this.listeners.delete(call);
  }

  /** Opens a new graph. */
  keep(name: string, path = name): GraphStore {
    const store = GraphStore.create(name, TEST_THREAD, { log: makeLog() });
    store.memory.log!.isOn = true;
    this.channel.open(store, path);
    this.#graphs.set(name, { store, folder: graphFolder(this.root, path) });
    return store;
  }

  /** Writes one transaction per vertex, in one frame. */
  write(name: string, vertices = 1): void {
    const { store } = this.#graphs.get(name)!;
    const graph = openStore(store);
    for (let remaining = vertices; remaining > 0; remaining--) graph.createVertex(`${graph.order}`);
    this.channel.write(store.memory.log!.clock);
    this.channel.log.flushNow();
    this.channel.release();
    for (const call of this.listeners) call();
  }

  /** Goes on in another segment, as after a failure of the disk. */
  async roll(): Promise<void> {
    this.#isFailing = true;
    await this.channel.log.flush().catch(() => undefined);
    this.#isFailing = false;
    this.channel.reopen();
  }

  async saveNow(name: string): Promise<string> {
    const { store, folder } = this.#graphs.get(name)!;
    saveGraph(store, folder);
    return folder;
  }

  #recordingDisk(): Disk {
    const note = (operation: string, path: string): void => {
      const name = relative(this.root, path);
      if (name === "" || name.startsWith(DUMP)) this.steps.push(`${operation} ${name}`);
    };
    const changed = changedDisk((file, path) => {
      this.openFiles++;
      return {
        write: (bytes, position) => {
          file.write(bytes, position);
          note("write", path);
          if (path.startsWith(this.folder)) this.written();
        },
        flush: async () => {
          if (this.#isFailing) throw new Error("EIO");
          note("flush", path);
          await file.flush();
        },
        flushNow: () => {
          note("flush", path);
          file.flushNow();
        },
        close: () => {
          note("close", path);
          this.openFiles--;
          file.close();
        },
      };
    });
    return {
      ...changed,
      create: (path) => {
        note("create", path);
        return changed.create(path);
      },
      flushFolder: (folder) => {
        note("flush folder", folder);
        realDisk.flushFolder(folder);
      },
    };
  }
}

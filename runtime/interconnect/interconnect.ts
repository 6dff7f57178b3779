// What one thread of a process does with graphs and their log: opens both when it is first asked
// for a graph, brings the graphs up to date, and keeps them.

import { SvcError } from "../base/errors.js";
import type { LogLine } from "../base/log-settings.js";
import { type CommitClock, openForLogging } from "../graph/log/logging-entry-points.js";
import type { RecoverableGraph } from "../graph/manager/graph-log.js";
import {
  GraphManager,
  type GraphManagerSettings,
  type OpenGraphRequest,
  type RecoveredGraphs,
} from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { TrafficCounters } from "../metrics/traffic.js";
import type { Control } from "./control.js";
import { type DurableLog, type LogMode, openLog } from "./durable-log.js";
import { fencedBy, hasBeenPromoted, promote, readLineage } from "./lineage.js";
import { type Disk, realDisk } from "./log/disk.js";
import type { CrossThreadGraphs } from "./replica-graphs.js";
import { Replication, type ReplicationSettings } from "./replication.js";

export interface InterconnectSettings extends GraphManagerSettings, ReplicationSettings {
  readonly txPort: number | null;
  readonly streamFrom: string | null;
  readonly root: string;
  readonly readonly: boolean;
  readonly graphs: {
    readonly [name: string]: {
      readonly path: string | null;
      readonly readonly: boolean;
      readonly local: boolean;
    };
  };
  readonly log: LogMode;
}

interface Kept {
  readonly keeper: GraphManager;
  readonly changes: DurableLog | null;
  /** What was found in the log when it was opened. */
  readonly recovered: RecoveredGraphs;
}

export class Interconnect {
  readonly #thread: number;
  readonly #settings: InterconnectSettings;
  readonly #clock: CommitClock;
  readonly #log: LogLine;
  readonly #disk: Disk;
  #kept: Kept | null = null;
  #replication: Replication | null = null;

  constructor(
    thread: number,
    settings: InterconnectSettings,
    clock: CommitClock,
    log: LogLine,
    disk = realDisk,
  ) {
    this.#disk = disk;
    this.#thread = thread;
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
  }

  /** @throws DataError; SvcError SVC2500, SVC2503 */
  keep(request: OpenGraphRequest): SharedGraph {
    return this.#open(request.isStorable, true).keeper.keep(request);
  }

  /**
   * Keeps the graphs that the log has changes of.
   * @param isStorable the root may be written to
   * @throws LogCorruptionError
   */
  recover(isStorable: boolean): RecoveredGraphs {
    return this.#open(isStorable, true).recovered;
  }

  /** Keeps what a former thread has made. */
  adopt(graphs: readonly SharedGraph[]): void {
    const isStorable = graphs.some(({ path }) => path !== null);
    const { keeper } = this.#open(isStorable, false);
    for (const graph of graphs) keeper.adopt(graph);
  }

  save(timeoutMs: number): Promise<boolean> | boolean {
    return this.#kept?.keeper.save(timeoutMs) ?? true;
  }

  erase(identity: string): void {
    this.#kept?.changes?.erase(identity);
  }

  /**
   * Begins to follow and to provide, as far as that is configured; all graphs are open.
   * @returns false if nothing has wanted the root yet
   * @throws SvcError SVC2530, SVC2534
   */
  async replicate(everywhere: CrossThreadGraphs, board: TrafficCounters): Promise<boolean> {
    if (this.#kept === null) return false;
    if (this.#replication !== null) return true;
    const { keeper, changes } = this.#kept;
    this.#replication = await Replication.start({
      settings: this.#settings,
      keeper,
      log: changes,
      everywhere,
      board,
      requestOf: (graph) => this.#requestOf(graph),
      warn: this.#log,
    });
    return true;
  }

  /**
   * Changes how this instance replicates, or asks.
   * @throws SvcError SVC2530, SVC2534, SVC2536, SVC2537
   */
  control(control: Control): unknown {
    if (this.#replication !== null) return this.#replication.control(control);
    throw new SvcError("SVC2530", "replication needs the log of changes: `log` is off");
  }

  async closeLog(): Promise<void> {
    await this.#replication?.stop();
    await this.#kept?.changes?.close();
  }

  #open(isStorable: boolean, isFirst: boolean): Kept {
    if (this.#kept !== null) return this.#kept;
    const { root, log: mode } = this.#settings;
    const warn = this.#log;
    const options = { root, mode, clock: this.#clock, warn, disk: this.#disk };
    const changes = isStorable ? openLog(options) : null;
    const isOwn = this.#settings.txPort === null && this.#settings.streamFrom === null;
    const { epoch } = isStorable && isOwn && isFirst ? promote(root, false) : readLineage(root);
    if (changes !== null) changes.channel.log.epoch = Math.max(changes.channel.log.epoch, epoch);
    const following = hasBeenPromoted(root) ? { txPort: null, streamFrom: null } : {};
    const settings = { ...this.#settings, ...following };
    const keeper = new GraphManager(this.#thread, settings, this.#log, changes);
    if (isStorable && fencedBy(root) !== null) keeper.isReplica = true;
    const none: RecoveredGraphs = { graphs: [], failures: [] };
    const recovered = isFirst ? keeper.recover((graph) => this.#requestOf(graph)) : none;
    this.#kept = { keeper, changes, recovered };
    return this.#kept;
  }

  /** How a graph of the log is to be kept. */
  #requestOf(graph: RecoverableGraph): OpenGraphRequest {
    const { root, readonly, graphs } = this.#settings;
    const { name } = graph;
    const configured = Object.hasOwn(graphs, name) ? graphs[name] : undefined;
    const path = configured?.path ?? graph.path;
    return {
      name,
      path,
      folder: openForLogging(root, path, name).folder,
      isStorable: true,
      isLocal: configured?.local ?? graph.isLocal,
      isReadonly: readonly || (configured?.readonly ?? false),
    };
  }
}

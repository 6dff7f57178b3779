// Graphs and transaction log of the interconnect thread. The first request for a graph opens the
// log and recovers the graphs; from then on they belong to this thread.

import { SvcError } from "../base/errors.js";
import type { LogLine } from "../base/log-settings.js";
import type { RecoverableGraph } from "../graph/manager/graph-log.js";
import {
  GraphManager,
  type GraphManagerSettings,
  type OpenGraphRequest,
  type RecoveredGraphs,
} from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import { type CommitClock, openForLogging } from "../graph/manager/logging-entry-points.js";
import { isSystemGraph } from "../graph/manager/system-graph.js";
import type { TrafficCounters } from "../metrics/traffic.js";
import type { Control } from "./control.js";
import { type Durability, type DurableLog, openLog } from "./durable-log.js";
import { type OpenEngine, openEngine } from "./leadership/engines.js";
import { fencedBy, hasBeenPromoted, promote, readLineage } from "./lineage.js";
import { type Disk, realDisk } from "./log/disk.js";
import type { CrossThreadGraphs } from "./replica-graphs.js";
import { Replication } from "./replication.js";
import { operationCounts } from "./replication-position.js";
import { isReplicationConfigured, type ReplicationSettings } from "./replication-settings.js";

export interface InterconnectSettings extends GraphManagerSettings, ReplicationSettings {
  readonly txPort: number | null;
  readonly followStream: string | null;
  readonly root: string;
  readonly readonly: boolean;
  readonly graphs: {
    readonly [name: string]: {
      readonly path: string | null;
      readonly readonly: boolean;
      readonly local: boolean;
      readonly memory: "auto" | "large" | "small" | null;
      readonly indexes: readonly object[];
      readonly constraints: readonly object[];
    };
  };
  readonly durability: Durability;
  readonly retainLogBytes?: number;
}

interface OpenState {
  readonly manager: GraphManager;
  readonly changes: DurableLog | null;
  /** Outcome of the recovery at the time when the log was opened. */
  readonly recovered: RecoveredGraphs;
}

export class Interconnect {
  readonly #thread: number;
  readonly #settings: InterconnectSettings;
  readonly #clock: CommitClock;
  readonly #log: LogLine;
  readonly #disk: Disk;
  readonly #openEngine: OpenEngine;
  #state: OpenState | null = null;
  #replication: Replication | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    thread: number,
    settings: InterconnectSettings,
    clock: CommitClock,
    log: LogLine,
    disk = realDisk,
    open = openEngine,
  ) {
    this.#openEngine = open;
    this.#disk = disk;
    this.#thread = thread;
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
  }

  /** @throws DataError; SvcError SVC2500, SVC2503 */
  keep(request: OpenGraphRequest): SharedGraph {
    return this.#open(request.isStorable, true).manager.open(request);
  }

  /**
   * Opens and recovers all graphs with transactions in the log.
   * @param isStorable true if the data folder is writable
   * @throws LogCorruptionError
   */
  recover(isStorable: boolean): RecoveredGraphs {
    return this.#open(isStorable, true).recovered;
  }

  /** Takes over the graphs of a former thread. */
  adopt(graphs: readonly SharedGraph[]): void {
    const isStorable = graphs.some(({ path }) => path !== null);
    const { manager } = this.#open(isStorable, false);
    for (const graph of graphs) manager.adopt(graph);
  }

  save(timeoutMs: number): Promise<boolean> | boolean {
    return this.#state?.manager.save(timeoutMs) ?? true;
  }

  erase(identity: string): void {
    this.#state?.changes?.erase(identity);
  }

  /**
   * Starts replication as configured. All graphs must be open.
   * @param readiness called with the reason why the graphs are not ready for service; null: ready
   * @returns false if no graph was opened yet
   * @throws SvcError SVC2530, SVC2534
   */
  async replicate(
    everywhere: CrossThreadGraphs,
    board: TrafficCounters,
    readiness: (notReady: string | null) => void = () => undefined,
    restart: () => void = () => undefined,
  ): Promise<boolean> {
    if (this.#state === null) return false;
    if (this.#replication !== null) return true;
    const { manager, changes } = this.#state;
    this.#replication = await Replication.start({
      settings: this.#settings,
      manager,
      log: changes,
      everywhere,
      board,
      requestOf: (graph) => this.#requestOf(graph),
      warn: this.#log,
      readiness,
      openEngine: this.#openEngine,
      restart,
    });
    return true;
  }

  /**
   * Changes or queries how this instance replicates.
   * @throws SvcError SVC2530, SVC2534, SVC2536, SVC2537
   */
  control(control: Control): unknown {
    if (this.#replication !== null) return this.#replication.control(control);
    if (this.#state?.changes?.isOn !== true) {
      const text = "replication requires the transaction log: `durability` is off";
      throw new SvcError("SVC2530", text);
    }
    // Without subscribers there is nothing to send.
    if (control.do === "sync" && !isReplicationConfigured(this.#settings)) return true;
    throw new SvcError("SVC2530", "replication has not started yet: retry");
  }

  /** Closes the log once: a replica would wait again for a flush, which nothing does any more. */
  closeLog(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#replication?.stop();
    await this.#state?.changes?.close();
  }

  #open(isStorable: boolean, isFirst: boolean): OpenState {
    if (this.#state !== null) return this.#state;
    const { root, durability: mode, retainLogBytes: retainedBytes } = this.#settings;
    const warn = this.#log;
    const options = { root, mode, retainedBytes, clock: this.#clock, warn, disk: this.#disk };
    const changes = isStorable ? openLog(options) : null;
    const { txPort, followStream, leadership } = this.#settings;
    const isOwn = txPort === null && followStream === null;
    // A member of a group follows until it has claimed leadership.
    const isProvider = leadership === null && hasBeenPromoted(root);
    const following = isProvider ? { txPort: null, followStream: null } : {};
    const settings = { ...this.#settings, ...following };
    const manager = new GraphManager(this.#thread, settings, this.#log, changes);
    if (isStorable && fencedBy(root) !== null) manager.isReplica = true;
    const none: RecoveredGraphs = { graphs: [], failures: [] };
    const recovered = isFirst ? manager.recover((graph) => this.#requestOf(graph)) : none;
    const isPromoted = isStorable && isOwn && isFirst;
    const { epoch } = isPromoted
      ? promote(root, false, 0, operationCounts(manager))
      : readLineage(root);
    if (changes !== null) changes.channel.log.epoch = Math.max(changes.channel.log.epoch, epoch);
    this.#state = { manager, changes, recovered };
    return this.#state;
  }

  /** Returns the settings of a graph found in the log. */
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
      isReadonly: readonly || configured?.readonly === true,
      size: configured?.memory ?? (isSystemGraph(name) ? "small" : undefined),
    };
  }
}

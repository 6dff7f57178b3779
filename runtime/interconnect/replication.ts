// Replication of an instance: its senders, its subscription to a provider, its archive and its
// membership in a group.

import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type ArchiveConfig, planArchive } from "../base/archive-config.js";
import { SvcError } from "../base/errors.js";
import type { RepairAction } from "../graph/manager/graph-source.js";
import { describeNotReady, type ReplicaReport, Traffic } from "../metrics/traffic.js";
import type { LeadershipSettings } from "../settings/server-settings.js";
import { Archiver } from "./archive/archiver.js";
import type { StartingPoint } from "./catch-up-plan.js";
import type { Control } from "./control.js";
import type { DurableLog } from "./durable-log.js";
import { FlowControl, THROTTLE_UNITS, type Throttle, type ThrottleUnit } from "./flow-control.js";
import { askMembers } from "./leadership/ask-members.js";
import { Membership } from "./leadership/membership.js";
import {
  fencedBy,
  hasBeenPromoted,
  isReplicaRoot,
  type Lineage,
  promote,
  readLineage,
  writeFence,
} from "./lineage.js";
import { serialBase } from "./log/segment-format.js";
import type { LogFollower, LogSender, SenderParts } from "./log-transport.js";
import { Replica } from "./replica.js";
import { replicaGraphs } from "./replica-graphs.js";
import {
  digestGraphs,
  knownPositions,
  mismatchedDigests,
  operationCounts,
  replicationPosition,
} from "./replication-position.js";
import { isReplicationConfigured, type ReplicationParts } from "./replication-settings.js";
import { Subscriber } from "./subscriber.js";
import { findTransport } from "./transports.js";
import type { PeerStatus } from "./wire/positions.js";
import { SharedKey } from "./wire/shared-key.js";

const SAVE_TIMEOUT_MS = 60_000;
const REPORT_INTERVAL_MS = 1_000;
const POLL_MS = 1;

export class Replication {
  readonly #parts: ReplicationParts;
  readonly #log: DurableLog;
  readonly #key: SharedKey;
  readonly #traffic = new Traffic(() => this.#show());
  readonly #input = new FlowControl();
  readonly #output = new FlowControl();
  readonly #timer: NodeJS.Timeout;
  /** Number of cancelled synchronizations. */
  #cancelled = 0;
  #senders: readonly LogSender[] = [];
  #subscriber: LogFollower | null = null;
  #archiver: Archiver | null = null;
  #membership: Membership | null = null;
  #lineage: Lineage;
  /** True after a promotion: it only listens to announce its epoch. */
  #isPromoted = false;
  /** Last reported reason; undefined: none reported yet. */
  #notReady: string | null | undefined;
  /** Epoch of the provider that has replaced this one; null: it is not fenced. */
  #fencedBy: number | null;
  #isStarted = false;
  /** State of the replica that this instance was until `unbind`. */
  #unbound: ReplicaReport | null = null;

  /** @throws SvcError SVC2530 */
  private constructor(parts: ReplicationParts, log: DurableLog) {
    this.#parts = parts;
    this.#log = log;
    this.#key = SharedKey.read(parts.settings.txKeyFile);
    this.#lineage = readLineage(parts.settings.root);
    this.#fencedBy = fencedBy(parts.settings.root);
    log.firstNeededSn = () => {
      const archived = this.#archiver?.firstNeededSn ?? Number.POSITIVE_INFINITY;
      return Math.min(archived, ...this.#senders.map(({ firstNeededSn }) => firstNeededSn));
    };
    this.#timer = setInterval(() => this.#show(), REPORT_INTERVAL_MS).unref();
  }

  /** Returns null without a transaction log. @throws SvcError SVC2530, SVC2534 */
  static async start(parts: ReplicationParts): Promise<Replication | null> {
    const { txPort, attach, publishStream, followStream } = parts.settings;
    if (parts.log === null || !parts.log.isOn) {
      const needsLog = isReplicationConfigured(parts.settings) || parts.settings.archive !== null;
      if (!needsLog) return null;
      const text =
        "replication and backups require the transaction log: " +
        "`durability` is off, or the root is not writable";
      throw new SvcError("SVC2530", text);
    }
    const replication = new Replication(parts, parts.log);
    try {
      const { root } = parts.settings;
      if (replication.#fencedBy !== null) {
        const fence = `fenced at epoch ${replication.#fencedBy}`;
        const text = `this instance was ${fence}: its graphs are read-only`;
        const hint = "and it does not replicate until `svc admin promote`";
        parts.warn(`SVC2535: replication: ${text}, ${hint}`);
        replication.#started();
        return replication;
      }
      if (parts.settings.leadership !== null) {
        await replication.#join(parts.settings.leadership);
        replication.#started();
        return replication;
      }
      const isOver = hasBeenPromoted(root);
      if (txPort !== null)
        await (isOver ? replication.#announcePromotion(txPort) : replication.#bind(txPort));
      for (const address of attach) replication.#attach(address);
      if (publishStream !== null) replication.#attach(publishStream);
      if (followStream !== null && !isOver) await replication.#followStream(followStream, txPort);
    } catch (error) {
      await replication.stop();
      throw error;
    }
    replication.#started();
    return replication;
  }

  #started(): void {
    this.#isStarted = true;
    const { archive } = this.#parts.settings;
    if (archive !== null && this.#fencedBy === null) this.#archive(archive);
    this.#show();
  }

  #archive(config: string | ArchiveConfig): void {
    const { settings, manager, warn } = this.#parts;
    const { root } = settings;
    this.#archiver = new Archiver({
      ...{ plan: planArchive(config), root, warn, log: this.#log, isReplica: isReplicaRoot(root) },
      checkpoints: () => knownPositions(manager),
      isReady: () => describeNotReady(this.#replicaReport()) === null,
    });
  }

  /** Resolves when the replica marker contains the final position. */
  async stop(): Promise<void> {
    await this.#membership?.group.stop();
    clearInterval(this.#timer);
    await this.#archiver?.stop();
    this.#subscriber?.stop();
    for (const sender of this.#senders) sender.stop();
    await this.#subscriber?.settle();
  }

  /** @throws SvcError SVC2530, SVC2534, SVC2536, SVC2537 */
  control(control: Control): unknown {
    switch (control.do) {
      case "attach":
        return this.#attach(control.uri);
      case "attached":
        return this.#senders.map(({ uri }) => uri);
      case "detach":
        return this.#detach(control.uri);
      case "bind":
        return this.#bind(control.port);
      case "bound":
        return this.#traffic.txPort;
      case "unbind":
        return this.#unbind();
      case "promote":
        if (this.#membership === null) return this.#promote();
        return this.#membership.group.force(control.acceptsLoss === true);
      case "handOver":
        return this.#handOver(control.to, control.timeoutMs);
      case "fence":
        return this.#fence(control.timeoutMs);
      case "sync":
        return this.#sync(control.repair, control.timeoutMs);
      case "cancelSync":
        return this.#cancelSync();
      case "checkDigests":
        return mismatchedDigests(this.#parts.manager);
      case "suspend":
      case "resume":
        return this.#open(control.what, control.do === "resume");
      case "throttle":
        return this.#throttle(control.unit, control.rate);
    }
  }

  #attach(configuredUri: string): void {
    const uri = this.#canonicalUri(configuredUri);
    if (this.#fencedBy !== null) {
      const text = `this instance was fenced at epoch ${this.#fencedBy} and provides nothing`;
      throw new SvcError("SVC2535", `replication: ${text}`);
    }
    if (this.#senders.some((sender) => sender.uri === uri)) {
      throw new SvcError("SVC2536", `Subscriber already exists: ${uri}`);
    }
    const transport = findTransport(configuredUri);
    const sender = transport.createSender(configuredUri, this.#senderParts(uri));
    this.#senders = [...this.#senders, sender];
    void sender.run();
  }

  #canonicalUri(uri: string): string {
    return findTransport(uri).canonicalUri(uri, this.#parts.settings.root);
  }

  #senderParts(uri: string): SenderParts {
    const { manager, warn, settings } = this.#parts;
    return {
      ...{ log: this.#log, warn, key: this.#key, root: settings.root },
      snapshots: { saveNow: (name) => manager.saveNow(name, SAVE_TIMEOUT_MS) },
      traffic: this.#traffic,
      gate: this.#output,
      origin: () => this.#origin(),
      status: () => this.#providerStatus(),
      onFenced: (epoch) => this.#fenced(epoch),
      onEnded: () => this.#detach(uri),
      members: this.#membership?.group,
    };
  }

  /** @throws SvcError SVC2534, SVC3360, SVC3361 */
  async #followStream(uri: string, txPort: number | null): Promise<void> {
    if (txPort !== null) {
      const text = "configure either a stream or a tx port, not both";
      throw new SvcError("SVC3360", text);
    }
    const follower = findTransport(uri).createFollower?.(uri, {
      ...{ createReplica: () => this.#createReplica() },
      ...{ gate: this.#input, traffic: this.#traffic, warn: this.#parts.warn },
    });
    if (follower === undefined) {
      throw new SvcError("SVC3360", `no stream to follow: ${JSON.stringify(uri.slice(0, 200))}`);
    }
    this.#subscriber = follower;
    this.#parts.manager.isReplica = true;
    void follower.run();
  }

  #detach(configuredUri: string | null): number {
    const uri = configuredUri === null ? null : this.#canonicalUri(configuredUri);
    const removed = this.#senders.filter((sender) => uri === null || sender.uri === uri);
    for (const sender of removed) sender.stop();
    this.#senders = this.#senders.filter((sender) => !removed.includes(sender));
    return removed.length;
  }

  async #bind(port: number): Promise<void> {
    // To bind the same port again, it must be released first.
    if (port === this.#traffic.txPort) this.#unbind();
    const subscriber = this.#createSubscriber(port);
    const boundPort = await subscriber.listen();
    this.#subscriber?.stop();
    this.#subscriber = subscriber;
    this.#isPromoted = false;
    this.#traffic.txPort = boundPort;
    this.#parts.manager.isReplica = true;
    this.#show();
  }

  #createReplica(): Replica {
    const member = this.#membership?.incarnation ?? null;
    const replica = new Replica(replicaGraphs(this.#parts, this.#log, member));
    replica.onReadiness = () => this.#show();
    return replica;
  }

  #createSubscriber(port: number): Subscriber {
    const { settings, warn } = this.#parts;
    const replica = async (): Promise<Replica> => {
      await this.#subscriber?.retire();
      return this.#createReplica();
    };
    return new Subscriber({
      ...{ port, ip: settings.ip, key: this.#key, replica, warn },
      ...{ gate: this.#input, traffic: this.#traffic, status: () => this.#status() },
      membership: this.#membership,
    });
  }

  /**
   * Listens although this instance was promoted, because its configuration is still that of a
   * replica: it fences the former provider if that one returns.
   */
  async #announcePromotion(port: number): Promise<void> {
    const { epoch } = this.#lineage;
    const subscriber = this.#createSubscriber(port);
    await subscriber.listen(epoch);
    this.#subscriber = subscriber;
    this.#isPromoted = true;
    this.#traffic.txPort = port;
    this.#parts.warn(
      `replication: this instance was promoted at epoch ${epoch} and is now a provider; ` +
        `port ${port} only announces this. To make it a replica again, start it with an empty ` +
        "root",
    );
  }

  #unbind(): void {
    this.#unbound = this.#isPromoted ? null : (this.#subscriber?.report() ?? this.#unbound);
    this.#subscriber?.stop();
    this.#subscriber = null;
    this.#traffic.txPort = 0;
  }

  /** Promotes this instance and returns the epoch. Still listens, to fence its former provider. */
  async #promote(claimed = 0): Promise<number> {
    const { settings, manager, warn } = this.#parts;
    const { log } = this.#log.channel;
    await this.#subscriber?.retire();
    this.#lineage = promote(settings.root, true, claimed, operationCounts(manager));
    this.#fencedBy = null;
    log.epoch = Math.max(log.epoch, this.#lineage.epoch);
    this.#subscriber?.onPromoted(log.epoch);
    this.#isPromoted = true;
    this.#unbound = null;
    this.#traffic.provider = null;
    manager.isReplica = false;
    this.#show();
    warn(`replication: promoted to provider, epoch ${log.epoch}`);
    return log.epoch;
  }

  /** Joins its group. @throws SvcError SVC3400, SVC2530, SVC2534 */
  async #join(settings: LeadershipSettings): Promise<void> {
    const { settings: ownSettings, manager, warn, openEngine, restart } = this.#parts;
    this.#membership = new Membership({
      ...{ root: ownSettings.root, settings, log: this.#log, warn, openEngine },
      replicating: {
        lead: async (epoch, addresses) => {
          await this.#promote(epoch);
          for (const address of addresses) this.#attach(address);
        },
        stopProviding: () => {
          this.#detach(null);
          manager.isReplica = true;
        },
        follow: () => this.#bind(ownSettings.txPort!),
        rejectEpochsBelow: (epoch) => this.#subscriber?.rejectEpochsBelow?.(epoch),
        freeze: (isFrozen) => {
          manager.isReplica = isFrozen;
        },
        lag: () => this.#traffic.lagMs,
        positions: () => this.#subscriber?.positions?.() ?? null,
        fetchPositions: (addresses, timeoutMs) => askMembers(addresses, this.#key, timeoutMs),
        heardAtMs: () => this.#subscriber?.heardAtMs ?? Number.NEGATIVE_INFINITY,
        onChange: () => this.#show(),
        restart,
      },
    });
    await this.#membership.join();
  }

  /** @throws SvcError SVC3403 */
  async #handOver(id: string, timeoutMs: number): Promise<void> {
    if (this.#membership !== null) return this.#membership.group.handOver(id, timeoutMs);
    throw new SvcError("SVC3403", "handover: this instance has no leadership settings");
  }

  /** Makes graphs read-only: replicas of the new provider would not receive changes made here. */
  #fenced(epoch: number): void {
    if (this.#membership !== null) return this.#membership.group.onSuperseded(epoch);
    this.#detach(null);
    const { manager, settings } = this.#parts;
    manager.isReplica = true;
    writeFence(settings.root, epoch);
    this.#fencedBy = epoch;
    this.#show();
  }

  async #fence(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const { channel } = this.#log;
    await this.#log.settled();
    const { durableSn } = channel.log;
    for (;;) {
      const pending = this.#senders.find((sender) => !sender.hasAcknowledged(durableSn));
      if (pending === undefined) return;
      if (performance.now() > deadline) {
        const text = `${pending.uri} did not acknowledge all changes within ${timeoutMs} ms`;
        throw new SvcError("SVC2537", `replication: ${text}`);
      }
      await sleep(POLL_MS, undefined, { ref: false });
    }
  }

  #open(direction: "input" | "output", isOpen: boolean): void {
    if (direction === "input") {
      this.#input.isOpen = isOpen;
      this.#subscriber?.wake();
    } else {
      this.#output.isOpen = isOpen;
      for (const sender of this.#senders) sender.wake();
    }
    this.#show();
  }

  #throttle(unit: ThrottleUnit, rate: number | null): Throttle {
    if (!THROTTLE_UNITS.includes(unit)) {
      throw new SvcError("SVC2536", `unit must be one of ${THROTTLE_UNITS.join(", ")}`);
    }
    if (rate !== null && !(rate > 0)) throw new SvcError("SVC2536", "rate must be above 0");
    this.#output.throttle = { ...this.#output.throttle, [unit]: rate };
    this.#show();
    return this.#output.throttle;
  }

  #origin(): StartingPoint {
    const { ancestors } = this.#lineage;
    const followed = this.#isPromoted ? null : this.#subscriber;
    const log = followed === null ? this.#log.channel.log.logId : followed.origin;
    const isCaughtUp = describeNotReady(this.#replicaReport()) === null;
    return { isRoot: followed === null, log, ancestors, isCaughtUp };
  }

  #status(): PeerStatus {
    const { manager, board } = this.#parts;
    return {
      at: Date.now(),
      host: hostname(),
      adminPort: board.adminPort,
      serial: this.#traffic.serial,
      digest: digestGraphs(manager),
      graphs: [],
      goal: this.#origin().isCaughtUp ? this.#log.channel.log.last : null,
    };
  }

  /** Returns the status with the positions of all graphs, which subscribers compare. */
  #providerStatus(): PeerStatus {
    const stores = [...this.#parts.manager.replicated().values()];
    return { ...this.#status(), graphs: stores.map(replicationPosition) };
  }

  /**
   * Repairs diverged subscribers. Resolves with true when done, or with false at the timeout.
   * @throws SvcError SVC2830 if cancelled meanwhile
   */
  async #sync(repair: RepairAction, timeoutMs: number): Promise<boolean> {
    const cancelled = this.#cancelled;
    for (const sender of this.#senders) sender.repair(repair);
    const deadline = performance.now() + timeoutMs;
    while (this.#senders.some(({ isRepairing }) => isRepairing)) {
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS, undefined, { ref: false });
      if (this.#cancelled !== cancelled) {
        throw new SvcError("SVC2830", "sync was cancelled: replicas may still diverge");
      }
    }
    return true;
  }

  /** Returns the number of cancelled repairs. */
  #cancelSync(): number {
    const repairing = this.#senders.filter(({ isRepairing }) => isRepairing);
    for (const sender of repairing) sender.repair(null);
    if (repairing.length > 0) this.#cancelled++;
    return repairing.length;
  }

  #replicaReport(): ReplicaReport {
    if (this.#membership?.isRewinding) return { state: "rewinding", done: 0, of: 0 };
    if (this.#fencedBy !== null) return { state: "fenced", done: 0, of: 0 };
    const followed = this.#isPromoted ? null : this.#subscriber;
    return followed?.report() ?? this.#unbound ?? { state: "leader", done: 0, of: 0 };
  }

  #show(): void {
    const replica = this.#replicaReport();
    const notReady = describeNotReady(replica);
    // Before the start has completed, it is not known whether this is a replica.
    if (this.#isStarted && notReady !== this.#notReady) {
      this.#notReady = notReady;
      this.#parts.readiness(notReady);
    }
    const traffic = this.#traffic;
    const { log } = this.#log.channel;
    const isProvider = this.#subscriber === null || this.#isPromoted;
    if (isProvider) traffic.setCaughtUp(null);
    // Before the first transaction, the log has no stable id.
    if (isProvider && log.durableSn > 0) traffic.serial = serialBase(log.logId) + log.durableSn;
    this.#parts.board.write({
      ...traffic.shown(),
      replica,
      subscribers: this.#senders.map((sender) => sender.report()),
      archive: this.#archiver?.report() ?? null,
      group: this.#membership?.group.report() ?? null,
      logBytes: log.bytes,
      flushes: this.#log.flushes.record(),
      halted: { in: !this.#input.isOpen, out: !this.#output.isOpen },
      throttle: this.#output.throttle,
    });
  }
}

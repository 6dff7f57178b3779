// Membership of an instance in a group that elects its leader: switches its replication between
// providing and following.

import { setTimeout as sleep } from "node:timers/promises";
import type { LogLine } from "../../base/log-settings.js";
import type { LeadershipSettings } from "../../settings/server-settings.js";
import type { DurableLog } from "../durable-log.js";
import { demote, isReplicaRoot, readLineage, readReplicaMarker } from "../lineage.js";
import type { Ancestor, Positions } from "../wire/positions.js";
import type { OpenEngine } from "./engines.js";
import { Group } from "./group.js";
import { callTimeoutMs } from "./leadership.js";
import type { MemberPositions } from "./loss-report.js";
import { MemberFile } from "./member-file.js";
import { hasMore } from "./more-advanced.js";
import { requestSetAside } from "./set-aside.js";

const POLL_MS = 2;
/** Time limits for reading positions of rivals and of all members, as fractions of the `ttl`. */
const RIVALS_TIMEOUT = 0.05;
const ALL_TIMEOUT = 0.5;

/** Operations on the replication of an instance. */
export interface Replicating {
  /** Provides to all of these addresses, in a new epoch. */
  lead(epoch: number, addresses: readonly string[]): Promise<void>;
  /** Stops providing, and makes the graphs read-only. */
  stopProviding(): void;
  /** Listens for a provider. */
  follow(): Promise<void>;
  /** Rejects providers of lower epochs, and disconnects from one. */
  rejectEpochsBelow(epoch: number): void;
  /** Makes all graphs read-only, or writable again. */
  freeze(isFrozen: boolean): void;
  lag(): number;
  /** Returns the positions of this instance; null: it does not follow. */
  positions(): Positions | null;
  /** Reads the positions of followers. Returns null for each that does not respond in time. */
  fetchPositions(addresses: readonly string[], timeoutMs: number): Promise<(Positions | null)[]>;
  /** When its provider last sent anything, in monotonic milliseconds. */
  heardAtMs(): number;
  onChange(): void;
  /** Exits, so that the supervisor starts the instance again. */
  restart(): void;
}

export interface MembershipParts {
  readonly root: string;
  readonly settings: LeadershipSettings;
  readonly log: DurableLog;
  readonly warn: LogLine;
  readonly openEngine: OpenEngine;
  readonly replicating: Replicating;
}

export class Membership {
  readonly #parts: MembershipParts;
  readonly group: Group;
  readonly #file: MemberFile;
  #isRewinding = false;

  /** @throws SvcError SVC3400, SVC2534 */
  constructor(parts: MembershipParts) {
    const { root, settings, log, warn, openEngine, replicating } = parts;
    const engine = openEngine(settings.engine, settings.group, callTimeoutMs(settings));
    const file = new MemberFile(root, settings.id);
    const markerEpoch = readReplicaMarker(root)?.epoch ?? 0;
    this.#parts = parts;
    this.#file = file;
    this.group = new Group({
      ...{ settings, engine, file, warn, lastSn: () => log.channel.log.last },
      epoch: Math.max(log.channel.log.epoch, readLineage(root).epoch, markerEpoch),
      lag: () => replicating.lag(),
      heardAtMs: () => replicating.heardAtMs(),
      isComplete: () => readReplicaMarker(root)?.isFetching !== true,
      isBehind: (ids) => this.#isBehind(ids),
      fetchPositions: () => this.#fetchAllPositions(),
      lead: (epoch) => this.#lead(epoch),
      follow: () => this.#follow(),
      rejectEpochsBelow: (epoch) => replicating.rejectEpochsBelow(epoch),
      freeze: (deadline) => this.#freeze(deadline),
      thaw: () => replicating.freeze(false),
      confirm: () => log.confirm(),
      publish: (role, epoch) => log.setGroup(role, epoch),
      onChange: () => replicating.onChange(),
    });
  }

  get incarnation(): MemberFile["incarnation"] {
    return this.#file.incarnation;
  }

  /** Interval of acknowledgments in milliseconds. */
  get ackMs(): number {
    return this.group.ackMs;
  }

  /** Reads the record at once: the connection to the provider broke, or another one connected. */
  onProviderChange(): void {
    this.group.readNow();
  }

  /** True once it must discard changes, until its process exits. */
  get isRewinding(): boolean {
    return this.#isRewinding;
  }

  /**
   * Restarts the instance without the changes that the leader lacks.
   * @param end transaction at which the leader took over; null: not known
   * @throws Error if the data folder cannot be written; nothing has changed then
   */
  restartWithoutChanges(reason: string, end: Ancestor | null): void {
    if (this.#isRewinding) return;
    requestSetAside(this.#parts.root, reason, end);
    this.#isRewinding = true;
    // If it led until its process exits, it would acknowledge changes that the restart discards.
    void this.group.stop();
    this.#parts.replicating.onChange();
    this.#parts.replicating.restart();
  }

  /** Joins the group as a follower. @throws SvcError SVC2530, SVC2534 */
  async join(): Promise<void> {
    if (!isReplicaRoot(this.#parts.root)) await this.#demote();
    await this.#listen();
    this.group.start();
  }

  /** Listens for a provider. Rejects epochs lower than the one recorded before a restart. */
  async #listen(): Promise<void> {
    const { replicating } = this.#parts;
    await replicating.follow();
    replicating.rejectEpochsBelow(this.#file.epoch);
  }

  async #isBehind(ids: readonly string[]): Promise<boolean> {
    const { replicating, settings } = this.#parts;
    const ownPositions = replicating.positions();
    if (ownPositions === null) return false;
    const addresses = ids.flatMap((id) => settings.members[id] ?? []);
    const timeoutMs = settings.ttl * RIVALS_TIMEOUT;
    const rivals = await replicating.fetchPositions(addresses, timeoutMs);
    return rivals.some((positions) => positions !== null && hasMore(positions, ownPositions));
  }

  async #fetchAllPositions(): Promise<MemberPositions> {
    const { replicating, settings } = this.#parts;
    const { id, members, ttl } = settings;
    const addresses = Object.values(members);
    const positions = await replicating.fetchPositions(addresses, ttl * ALL_TIMEOUT);
    const others = Object.keys(members).map((other, n) => [other, positions[n]!] as const);
    return new Map([[id, replicating.positions()], ...others]);
  }

  async #lead(epoch: number): Promise<void> {
    const { log, replicating, settings } = this.#parts;
    log.confirmUpTo(() => this.group.confirmedSn());
    await replicating.lead(epoch, Object.values(settings.members));
  }

  /** Stops leading. Its graphs become replicas of those of the next leader. */
  async #follow(): Promise<void> {
    const { log, replicating } = this.#parts;
    replicating.stopProviding();
    log.confirmUpTo(null);
    await this.#demote();
    await this.#listen();
  }

  /** Waits for running changes, for at most half of the remaining time, then refuses changes. */
  async #freeze(deadline: number): Promise<void> {
    const { log, replicating } = this.#parts;
    const giveUpAt = (performance.now() + deadline) / 2;
    while (log.changesInProgress > 0 && performance.now() < giveUpAt) {
      await sleep(POLL_MS);
    }
    replicating.freeze(true);
    await log.settled();
  }

  /** Makes the data folder that of a replica, whose position is the end of its own log. */
  async #demote(): Promise<void> {
    const { root, log } = this.#parts;
    await log.settled();
    const { durableSn: sn, logId: id, chain, epoch } = log.channel.log;
    const end = sn === 0 ? null : { id, sn, chain };
    demote(root, end, Math.max(epoch, readLineage(root).epoch));
  }
}

// Membership of an instance in a group that chooses its leader: what leading and following mean for
// its replication.

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
/** Fractions of the `ttl` within which other members tell what they have. */
const ASK = 0.05;
const ASK_ALL = 0.5;

/** Abilities of the replication of an instance. */
export interface Replicating {
  /** Provides to all of these addresses, in a new epoch. */
  lead(epoch: number, addresses: readonly string[]): Promise<void>;
  /** Stops providing: the graphs are read-only. */
  release(): void;
  /** Listens for a provider. */
  follow(): Promise<void>;
  /** Leaves a provider of a lower epoch. */
  met(epoch: number): void;
  /** Makes all graphs read-only, or writable again. */
  freeze(isFrozen: boolean): void;
  lag(): number;
  /** Returns what this instance has; null: it does not follow. */
  positions(): Positions | null;
  /** Returns what instances have that follow; null for each that does not answer in time. */
  ask(addresses: readonly string[], ms: number): Promise<(Positions | null)[]>;
  /** When its provider was last heard, monotonic milliseconds. */
  heardAtMs(): number;
  changed(): void;
  /** Ends the process, which starts again. */
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
    const known = readReplicaMarker(root)?.epoch ?? 0;
    this.#parts = parts;
    this.#file = file;
    this.group = new Group({
      ...{ settings, engine, file, warn, lastSn: () => log.channel.log.last },
      epoch: Math.max(log.channel.log.epoch, readLineage(root).epoch, known),
      lag: () => replicating.lag(),
      heardAtMs: () => replicating.heardAtMs(),
      isComplete: () => readReplicaMarker(root)?.isFetching !== true,
      isBehind: (ids) => this.#isBehind(ids),
      positions: () => this.#positions(),
      lead: (epoch) => this.#lead(epoch),
      follow: () => this.#follow(),
      met: (epoch) => replicating.met(epoch),
      freeze: (deadline) => this.#freeze(deadline),
      thaw: () => replicating.freeze(false),
      confirm: () => log.confirm(),
      publish: (role, epoch) => log.setGroup(role, epoch),
      changed: () => replicating.changed(),
    });
  }

  get incarnation(): MemberFile["incarnation"] {
    return this.#file.incarnation;
  }

  /** Interval of acknowledgements. */
  get ackMs(): number {
    return this.group.ackMs;
  }

  /** Its provider has gone, or another one was met. */
  disturbed(): void {
    this.group.hurry();
  }

  /** True from when it must give up changes until its process ends. */
  get isRewinding(): boolean {
    return this.#isRewinding;
  }

  /**
   * It has changes that the leader lacks: it begins again without them.
   * @throws Error if its data folder cannot be written: nothing has happened then
   */
  ahead(reason: string, end: Ancestor | null): void {
    if (this.#isRewinding) return;
    requestSetAside(this.#parts.root, reason, end);
    this.#isRewinding = true;
    // As a leader it would give up changes that it acknowledged until its process ended.
    void this.group.stop();
    this.#parts.replicating.changed();
    this.#parts.replicating.restart();
  }

  /** Follows until this instance leads. @throws SvcError SVC2530, SVC2534 */
  async join(): Promise<void> {
    if (!isReplicaRoot(this.#parts.root)) await this.#demote();
    await this.#listen();
    this.group.start();
  }

  /** Listens for a provider, and refuses those of lower epochs than it saw before a restart. */
  async #listen(): Promise<void> {
    const { replicating } = this.#parts;
    await replicating.follow();
    replicating.met(this.#file.epoch);
  }

  async #isBehind(ids: readonly string[]): Promise<boolean> {
    const { replicating, settings } = this.#parts;
    const own = replicating.positions();
    if (own === null) return false;
    const addresses = ids.flatMap((id) => settings.members[id] ?? []);
    const answers = await replicating.ask(addresses, settings.ttl * ASK);
    return answers.some((positions) => positions !== null && hasMore(positions, own));
  }

  async #positions(): Promise<MemberPositions> {
    const { replicating, settings } = this.#parts;
    const { id, members, ttl } = settings;
    const answers = await replicating.ask(Object.values(members), ttl * ASK_ALL);
    const others = Object.keys(members).map((other, n) => [other, answers[n]!] as const);
    return new Map([[id, replicating.positions()], ...others]);
  }

  async #lead(epoch: number): Promise<void> {
    const { log, replicating, settings } = this.#parts;
    log.confirmUpTo(() => this.group.confirmedSn());
    await replicating.lead(epoch, Object.values(settings.members));
  }

  /** Stops leading: its graphs become replicas of those of the next leader. */
  async #follow(): Promise<void> {
    const { log, replicating } = this.#parts;
    replicating.release();
    log.confirmUpTo(null);
    await this.#demote();
    await this.#listen();
  }

  /** Waits until no request changes graphs, half of the time at most, then refuses changes. */
  async #freeze(deadline: number): Promise<void> {
    const { log, replicating } = this.#parts;
    const giveUpAt = (performance.now() + deadline) / 2;
    while (log.changesInProgress > 0 && performance.now() < giveUpAt) {
      await sleep(POLL_MS);
    }
    replicating.freeze(true);
    await log.settled();
  }

  /** The end of its own log becomes the position of a replica. */
  async #demote(): Promise<void> {
    const { root, log } = this.#parts;
    await log.settled();
    const { safe: sn, logId: id, chain, epoch } = log.channel.log;
    const end = sn === 0 ? null : { id, sn, chain };
    demote(root, end, Math.max(epoch, readLineage(root).epoch));
  }
}

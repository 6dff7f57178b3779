// Matrix of back-ends, W partitions by H replicas, and replica selection: per partition the live
// replica with a free channel and the lowest cost (http-interface, "Dispatch cost rules").

import { type InstanceSlots, threadSlots } from "../base/instance-slots.js";
import { SlotMap } from "../base/slot-map.js";
import type { BackEndAddress, MatrixConfig } from "../settings/matrix-config.js";
import { BackEnd } from "./back-end.js";
import { PLAIN } from "./connector.js";
import type { ForwardedRequest, Preference } from "./forwarded-request.js";
import { PluginMeans } from "./replica-speed.js";

/** Why no replica is available: all are down or tried, or none has a free channel. */
export type UnavailableReason = "down" | "busy";

export class Matrix {
  readonly config: MatrixConfig;
  readonly width: number;
  readonly height: number;
  /** By partition, then replica. */
  readonly backEnds: readonly (readonly BackEnd[])[];

  readonly means: PluginMeans;
  /** Slots of the system, which move while it runs; null: those of the configuration do not. */
  readonly #system: InstanceSlots | null;
  #slots: SlotMap | null;
  #slotsId: string | null;
  /** It has rows for the leaders of groups. */
  readonly hasLeaders: boolean;
  /** By partition: the most engines that contributed to one response. */
  readonly #leaves: number[];

  /** @param former matrix whose unchanged back-ends are reused */
  constructor(config: MatrixConfig, former: Matrix | null = null, connector = PLAIN) {
    this.config = config;
    this.#slots = config.slots === null ? null : new SlotMap(config.slots);
    this.#slotsId = config.slots?.id ?? null;
    this.#system = config.slots?.groups === undefined ? null : threadSlots();
    this.means = former?.means ?? new PluginMeans();
    const known = former?.byAddress() ?? new Map<string, BackEnd[]>();
    this.width = config.partitions.length;
    this.height = config.replicas.length;
    const { width, height } = this;
    this.#leaves = new Array(width).fill(1);
    this.hasLeaders = config.replicas.some(({ isLeader }) => isLeader === true);
    this.backEnds = config.partitions.map((addresses, partition) =>
      addresses.map((address, replica) => {
        const isPrimary = replica === config.primaryRow;
        const place = { partition, replica, width, height, isPrimary };
        const row = config.replicas[replica]!;
        const found = known.get(formatAddress(address)) ?? [];
        const same = found.find((backEnd) => backEnd.isFor(row, place, connector));
        if (same !== undefined) return same;
        return new BackEnd(address, row, place, config.connectTimeoutMs, found[0], connector);
      }),
    );
  }

  /** Partition of each key; null: the system has no slots. */
  get slots(): SlotMap | null {
    const system = this.#system;
    const groups = this.config.slots?.groups;
    if (system !== null && groups !== undefined && system.plan.id !== this.#slotsId) {
      this.#slots = system.partitionMap(groups);
      this.#slotsId = system.plan.id;
    }
    return this.#slots;
  }

  /** Id of the map that responses must have been made with; null: any. */
  get slotsId(): string | null {
    return this.#system?.plan.id ?? this.#slotsId;
  }

  /**
   * Returns the only partition that a request is for; null: all; -1: none of this matrix owns its
   * key.
   */
  partitionFor({ target, key }: Pick<ForwardedRequest, "target" | "key">): number | null {
    if (target !== null) return Number(target % BigInt(this.width));
    return key === null || this.slots === null ? null : this.slots.ownerOfKey(key);
  }

  /**
   * Returns the share of engines, down to the leaves, that contributed, relative to the most that
   * each partition ever had.
   * @param leaves engines that contributed, by partition
   */
  coverage(leaves: readonly number[]): number {
    let answered = 0;
    let known = 0;
    for (const [partition, count] of leaves.entries()) {
      const most = Math.max(this.#leaves[partition]!, count);
      this.#leaves[partition] = most;
      answered += count;
      known += most;
    }
    return answered / known;
  }

  /** Returns whether a response may lack partitions that are down. */
  allowsPartialResults(partition: number | null, { isPrimary }: Preference): boolean {
    return this.config.allowIncomplete && partition === null && !isPrimary;
  }

  *all(): Generator<BackEnd> {
    for (const replicas of this.backEnds) yield* replicas;
  }

  /** Built once per change: with up to 16,129 back-ends a search for each would be quadratic. */
  byAddress(): Map<string, BackEnd[]> {
    const known = new Map<string, BackEnd[]>();
    for (const backEnd of this.all()) {
      const text = formatAddress(backEnd.address);
      const found = known.get(text);
      if (found === undefined) known.set(text, [backEnd]);
      else found.push(backEnd);
    }
    return known;
  }

  /** Open connections. */
  get openChannels(): number {
    return this.#sum((backEnd) => backEnd.openChannels);
  }

  /** Maximum connections. */
  get totalChannels(): number {
    return this.#sum((backEnd) => backEnd.row.channels);
  }

  #sum(count: (backEnd: BackEnd) => number): number {
    let total = 0;
    for (const backEnd of this.all()) total += count(backEnd);
    return total;
  }

  /**
   * Returns the replica of a partition that a request goes to.
   * @param tried replicas that failed this request
   * @param isRetryable may be used as the trial of an ejected back-end
   * @param isForLeader only the leader of a group executes it
   */
  choose(
    partition: number,
    preference: Preference,
    tried: readonly BackEnd[],
    isRetryable: boolean,
    isForLeader = this.isForLeader(preference),
  ): BackEnd | UnavailableReason {
    const replicas = this.backEnds[partition]!;
    const { isPrimary, affinity } = preference;
    if (isForLeader && this.hasLeaders) {
      const members = replicas.filter(({ row }) => row.isLeader);
      return findCheapest(members, tried, isRetryable);
    }
    if (isPrimary) {
      const primary = replicas[this.config.primaryRow]!;
      if (primary.isDefunct || tried.includes(primary)) return "down";
      return primary.hasFreeChannel ? primary : "busy";
    }
    if (affinity >= 0 && tried.length === 0) {
      const { isDefunct, hasFreeChannel, outlier } = replicas[affinity % this.height]!;
      const isHealthy = !isDefunct && !outlier.isEjected;
      if (isHealthy && hasFreeChannel) return replicas[affinity % this.height]!;
    }
    return findCheapest(replicas, tried, isRetryable);
  }

  /** Returns whether only leaders of groups can execute a request. */
  isForLeader({ isPrimary }: Preference): boolean {
    const { replicas, primaryRow } = this.config;
    if (!this.hasLeaders) return false;
    if (isPrimary) return replicas[primaryRow]!.isLeader === true;
    return replicas.every(({ isLeader }) => isLeader === true);
  }

  /** Returns whether the partition has rows for leaders, and none of their back-ends leads. */
  lacksLeader(partition: number): boolean {
    const members = this.backEnds[partition]!.filter(({ row }) => row.isLeader);
    return members.length > 0 && members.every(({ isDefunct }) => isDefunct);
  }

  /** Partitions with a replica that is up. */
  get alive(): number {
    return this.backEnds.filter((replicas) => replicas.some(({ isDefunct }) => !isDefunct)).length;
  }

  /** Releases the back-ends that the next matrix does not reuse. */
  leaveTo(next: Matrix): void {
    const kept = new Set(next.all());
    for (const backEnd of this.all()) if (!kept.has(backEnd)) backEnd.leave();
  }

  close(): void {
    for (const backEnd of this.all()) backEnd.close();
  }
}

function formatAddress({ host, port }: BackEndAddress): string {
  return `${host}:${port}`;
}

/**
 * Returns the first of the replicas with the lowest cost. An ejected one is better than none,
 * and is tried now and then.
 */
function findCheapest(
  replicas: readonly BackEnd[],
  tried: readonly BackEnd[],
  isRetryable: boolean,
): BackEnd | UnavailableReason {
  let best: BackEnd | null = null;
  let bestValue = Number.POSITIVE_INFINITY;
  const fastest = findFastest(replicas);
  let unavailable: UnavailableReason = "down";
  let isAnyHealthy = false;
  for (const backEnd of replicas) {
    if (backEnd.isDefunct || (tried.length > 0 && tried.includes(backEnd))) continue;
    const isEjected = backEnd.outlier.isEjected;
    unavailable = "busy";
    isAnyHealthy ||= !isEjected;
    if (!backEnd.hasFreeChannel) continue;
    if (isEjected && backEnd.outlier.isHalfOpenDue(isRetryable)) return backEnd;
    const isSlow = fastest > 0 && backEnd.speed.factor(fastest) > 1;
    if (isSlow && backEnd.speed.isTrialDue(performance.now(), isRetryable)) return backEnd;
    const value = (isEjected ? EJECTED_VALUE : 0) + backEnd.value(fastest);
    if (value < bestValue) {
      best = backEnd;
      bestValue = value;
    }
  }
  const isBestEjected = bestValue >= EJECTED_VALUE;
  return best === null || (isAnyHealthy && isBestEjected) ? unavailable : best;
}

/**
 * Returns the relative time of a request in the fastest replica that is up; 0 while it is unknown.
 */
export function findFastest(replicas: readonly BackEnd[]): number {
  let fastest = 0;
  if (replicas.length === 1) return fastest;
  for (const { isDefunct, speed } of replicas) {
    const { perRequest } = speed;
    if (isDefunct || perRequest === 0) continue;
    if (fastest === 0 || perRequest < fastest) fastest = perRequest;
  }
  return fastest;
}

/** Above every other value. */
const EJECTED_VALUE = 2 ** 40;

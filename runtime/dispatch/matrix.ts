// Matrix of back-ends, W partitions by H replicas, and replica selection: per partition the live
// replica with a free channel and the lowest cost (http-interface, "Dispatch cost rules").

import { type InstanceSlots, threadSlots } from "../base/instance-slots.js";
import { SlotMap } from "../base/slot-map.js";
import type { BackEndAddress, MatrixConfig } from "../settings/matrix-config.js";
import { BackEnd } from "./back-end.js";
import { PLAIN } from "./connector.js";
import { findFastest } from "./find-fastest.js";
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

  readonly pluginMeans: PluginMeans;
  /** Slots of a running system, which can move; null: the slots of the configuration are fixed. */
  readonly #system: InstanceSlots | null;
  #slots: SlotMap | null;
  #slotsId: string | null;
  /** True if the matrix has rows for leaders of groups. */
  readonly hasLeaders: boolean;
  /** By partition: maximum number of engines that contributed to one response. */
  readonly #leaves: number[];

  /** @param former matrix whose unchanged back-ends are reused */
  constructor(config: MatrixConfig, former: Matrix | null = null, connector = PLAIN) {
    this.config = config;
    this.#slots = config.slots === null ? null : new SlotMap(config.slots);
    this.#slotsId = config.slots?.id ?? null;
    this.#system = config.slots?.groups === undefined ? null : threadSlots();
    this.pluginMeans = former?.pluginMeans ?? new PluginMeans();
    const formerBackEnds = former?.byAddress() ?? new Map<string, BackEnd[]>();
    this.width = config.partitions.length;
    this.height = config.replicas.length;
    const { width, height } = this;
    const timeoutMs = config.connectTimeoutMs;
    this.#leaves = new Array(width).fill(1);
    this.hasLeaders = config.replicas.some(({ isLeader }) => isLeader === true);
    this.backEnds = config.partitions.map((addresses, partition) =>
      addresses.map((address, replica) => {
        const isPrimary = replica === config.primaryRow;
        const position = { partition, replica, width, height, isPrimary };
        const row = config.replicas[replica]!;
        const candidates = formerBackEnds.get(formatAddress(address)) ?? [];
        const reusable = candidates.find((backEnd) => backEnd.isFor(row, position, connector));
        if (reusable !== undefined) return reusable;
        return new BackEnd(address, row, position, timeoutMs, candidates[0], connector);
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
   * Returns the partition that a request is for; null: all; -1: no partition of this matrix owns
   * its key.
   */
  partitionFor({ target, key }: Pick<ForwardedRequest, "target" | "key">): number | null {
    if (target !== null) return Number(target % BigInt(this.width));
    return key === null || this.slots === null ? null : this.slots.ownerOfKey(key);
  }

  /**
   * Returns the share of engines that contributed, relative to the largest number so far.
   * @param leaves engines that contributed, by partition; null: the partition did not
   */
  coverage(leaves: readonly (number | null)[]): number {
    let answered = 0;
    let expected = 0;
    for (const [partition, leavesOfPartition] of leaves.entries()) {
      const count = leavesOfPartition ?? 0;
      const maximum = Math.max(this.#leaves[partition]!, count);
      this.#leaves[partition] = maximum;
      answered += count;
      expected += maximum;
    }
    return answered / expected;
  }

  /** Returns whether a response may lack partitions that are down. */
  allowsPartialResults(partition: number | null, { isPrimary }: Preference): boolean {
    return this.config.allowIncomplete && partition === null && !isPrimary;
  }

  *all(): Generator<BackEnd> {
    for (const replicas of this.backEnds) yield* replicas;
  }

  /** Indexes the back-ends: with up to 16,129 of them, a search for each would be quadratic. */
  byAddress(): Map<string, BackEnd[]> {
    const byAddress = new Map<string, BackEnd[]>();
    for (const backEnd of this.all()) {
      const text = formatAddress(backEnd.address);
      const candidates = byAddress.get(text);
      if (candidates === undefined) byAddress.set(text, [backEnd]);
      else candidates.push(backEnd);
    }
    return byAddress;
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
   * Returns the replica of a partition for a request.
   * @param tried replicas that failed this request
   * @param isRetryable the request may be the trial of an ejected back-end
   * @param isForLeader only the leader of a group executes the request
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
      if (primary.isDown || tried.includes(primary)) return "down";
      return primary.hasFreeChannel ? primary : "busy";
    }
    if (affinity >= 0 && tried.length === 0) {
      const { isDown, hasFreeChannel, outlier } = replicas[affinity % this.height]!;
      const isHealthy = !isDown && !outlier.isEjected;
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

  /** Returns whether the partition is a group that has no leader now. */
  lacksLeader(partition: number): boolean {
    const members = this.backEnds[partition]!.filter(({ row }) => row.isLeader);
    return members.length > 0 && members.every(({ isDown }) => isDown);
  }

  /** Partitions with a replica that is up. */
  get alive(): number {
    return this.backEnds.filter((replicas) => replicas.some(({ isDown }) => !isDown)).length;
  }

  /** Releases the back-ends that the next matrix does not reuse. */
  releaseUnused(next: Matrix): void {
    const reused = new Set(next.all());
    for (const backEnd of this.all()) if (!reused.has(backEnd)) backEnd.leave();
  }

  close(): void {
    for (const backEnd of this.all()) backEnd.close();
  }
}

function formatAddress({ host, port }: BackEndAddress): string {
  return `${host}:${port}`;
}

/**
 * Returns the first replica with the lowest cost. An ejected replica is chosen only if all others
 * are down or ejected too, or for a trial request.
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
    if (backEnd.isDown || (tried.length > 0 && tried.includes(backEnd))) continue;
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

/** Above every other value. */
const EJECTED_VALUE = 2 ** 40;

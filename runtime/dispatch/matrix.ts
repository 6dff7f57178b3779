// The back-ends of a dispatcher, W partitions by H replicas, and the choice among them: in each
// partition the replica that is alive, has a free channel and costs least (http-interface,
// "Dispatch cost rules").

import type { BackEndAddress, MatrixConfig } from "../settings/matrix-config.js";
import { BackEnd } from "./back-end.js";
import { PLAIN } from "./connector.js";
import type { Preference } from "./forwarded-request.js";

/** Why there is no replica: all are down or were tried, or none has a free channel. */
export type UnavailableReason = "down" | "busy";

export class Matrix {
  readonly config: MatrixConfig;
  readonly width: number;
  readonly height: number;
  /** By partition, then replica. */
  readonly backEnds: readonly (readonly BackEnd[])[];

  /** By partition: the most engines that took part in one of its answers. */
  readonly #leaves: number[];

  /** @param former whose back-ends are kept where they are the same */
  constructor(config: MatrixConfig, former: Matrix | null = null, connector = PLAIN) {
    this.config = config;
    const known = former?.byAddress() ?? new Map<string, BackEnd[]>();
    this.width = config.partitions.length;
    this.height = config.replicas.length;
    const { width, height } = this;
    this.#leaves = new Array(width).fill(1);
    this.backEnds = config.partitions.map((addresses, partition) =>
      addresses.map((address, replica) => {
        const isPrimary = replica === config.primaryRow;
        const place = { partition, replica, width, height, isPrimary };
        const row = config.replicas[replica]!;
        const there = known.get(addressText(address)) ?? [];
        const same = there.find((backEnd) => backEnd.isFor(row, place, connector));
        if (same !== undefined) return same;
        return new BackEnd(address, row, place, config.connectTimeoutMs, there[0], connector);
      }),
    );
  }

  /** The partition that a target of any size stands for. */
  partitionOf(target: bigint): number {
    return Number(target % BigInt(this.width));
  }

  /**
   * How much of the matrix an answer tells of, down to its leaves: what answered as a share of the
   * most that each partition ever had.
   * @param leaves of each partition that took part in the answer
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

  /** Whether an answer may be made without the partitions that are down. */
  allowsPartialResults(target: bigint | null, { isPrimary }: Preference): boolean {
    return this.config.allowIncomplete && target === null && !isPrimary;
  }

  *all(): Generator<BackEnd> {
    for (const replicas of this.backEnds) yield* replicas;
  }

  /** There may be 16,129: whoever makes the next matrix must not search for each of its own. */
  byAddress(): Map<string, BackEnd[]> {
    const known = new Map<string, BackEnd[]>();
    for (const backEnd of this.all()) {
      const text = addressText(backEnd.address);
      const there = known.get(text);
      if (there === undefined) known.set(text, [backEnd]);
      else there.push(backEnd);
    }
    return known;
  }

  /** Connections that are open. */
  get openChannels(): number {
    return this.#sum((backEnd) => backEnd.openChannels);
  }

  /** Connections that there may be. */
  get totalChannels(): number {
    return this.#sum((backEnd) => backEnd.row.channels);
  }

  #sum(count: (backEnd: BackEnd) => number): number {
    let total = 0;
    for (const backEnd of this.all()) total += count(backEnd);
    return total;
  }

  /**
   * The replica of a partition that a request goes to.
   * @param tried replicas that could not answer this request
   * @param isRetryable it may try a back-end that has failed others
   */
  choose(
    partition: number,
    { isPrimary, affinity }: Preference,
    tried: readonly BackEnd[],
    isRetryable: boolean,
  ): BackEnd | UnavailableReason {
    const replicas = this.backEnds[partition]!;
    if (isPrimary) {
      const primary = replicas[this.config.primaryRow]!;
      if (primary.isDefunct || tried.includes(primary)) return "down";
      return primary.hasFreeChannel ? primary : "busy";
    }
    if (affinity >= 0 && tried.length === 0) {
      const { isDefunct, hasFreeChannel, outlier } = replicas[affinity % this.height]!;
      const isWell = !isDefunct && !outlier.isEjected;
      if (isWell && hasFreeChannel) return replicas[affinity % this.height]!;
    }
    return cheapest(replicas, tried, isRetryable);
  }

  /** Partitions with a replica that is up. */
  get alive(): number {
    return this.backEnds.filter((replicas) => replicas.some(({ isDefunct }) => !isDefunct)).length;
  }

  /** Another one has taken its place: lets go of what that one has not. */
  leaveTo(next: Matrix): void {
    const kept = new Set(next.all());
    for (const backEnd of this.all()) if (!kept.has(backEnd)) backEnd.leave();
  }

  close(): void {
    for (const backEnd of this.all()) backEnd.close();
  }
}

function addressText({ host, port }: BackEndAddress): string {
  return `${host}:${port}`;
}

/**
 * The first of those that cost least. One that hangs is better than none, and one that has failed
 * others is tried now and then.
 */
function cheapest(
  replicas: readonly BackEnd[],
  tried: readonly BackEnd[],
  isRetryable: boolean,
): BackEnd | UnavailableReason {
  let best: BackEnd | null = null;
  let bestValue = Number.POSITIVE_INFINITY;
  let none: UnavailableReason = "down";
  let isOneWell = false;
  for (const backEnd of replicas) {
    if (backEnd.isDefunct || (tried.length > 0 && tried.includes(backEnd))) continue;
    const isEjected = backEnd.outlier.isEjected;
    none = "busy";
    isOneWell ||= !isEjected;
    if (!backEnd.hasFreeChannel) continue;
    if (isEjected && backEnd.outlier.isHalfOpenDue(isRetryable)) return backEnd;
    const value = isEjected ? EJECTED_VALUE + backEnd.value : backEnd.value;
    if (value < bestValue) {
      best = backEnd;
      bestValue = value;
    }
  }
  const isBestEjected = bestValue >= EJECTED_VALUE;
  return best === null || (isOneWell && isBestEjected) ? none : best;
}

/** Above every other one. */
const EJECTED_VALUE = 2 ** 40;

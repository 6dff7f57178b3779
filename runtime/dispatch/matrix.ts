// The back-ends of a dispatcher, W partitions by H replicas, and the choice among them: in each
// partition the replica that is alive, has a free channel and costs least (interface, "Dispatch
// cost rules").

import type { MatrixConfig } from "../settings/matrix-config.js";
import { BackEnd } from "./back-end.js";
import type { Preference } from "./forwarded-request.js";

/** Why there is no replica: all are down or were tried, or none has a free channel. */
export type NoReplica = "down" | "busy";

export class Matrix {
  readonly config: MatrixConfig;
  readonly width: number;
  readonly height: number;
  /** By partition, then replica. */
  readonly backEnds: readonly (readonly BackEnd[])[];

  constructor(config: MatrixConfig) {
    this.config = config;
    this.width = config.partitions.length;
    this.height = config.replicas.length;
    const { width, height } = this;
    this.backEnds = config.partitions.map((addresses, partition) =>
      addresses.map((address, replica) => {
        const isPrimary = replica === config.primaryRow;
        const place = { partition, replica, width, height, isPrimary };
        return new BackEnd(address, config.replicas[replica]!, place);
      }),
    );
  }

  /** The partition that a target of any size stands for. */
  partitionOf(target: bigint): number {
    return Number(target % BigInt(this.width));
  }

  /** Whether an answer may be made without the partitions that are down. */
  mayLackParts(target: bigint | null, { isPrimary }: Preference): boolean {
    return this.config.allowIncomplete && target === null && !isPrimary;
  }

  *all(): Generator<BackEnd> {
    for (const replicas of this.backEnds) yield* replicas;
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
   */
  choose(
    partition: number,
    { isPrimary, affinity }: Preference,
    tried: readonly BackEnd[],
  ): BackEnd | NoReplica {
    const replicas = this.backEnds[partition]!;
    if (isPrimary) {
      const primary = replicas[this.config.primaryRow]!;
      if (primary.isDefunct || tried.includes(primary)) return "down";
      return primary.hasFreeChannel ? primary : "busy";
    }
    if (affinity >= 0 && tried.length === 0) {
      const preferred = replicas[affinity % this.height]!;
      if (!preferred.isDefunct && preferred.hasFreeChannel) return preferred;
    }
    return cheapest(replicas, tried);
  }

  close(): void {
    for (const backEnd of this.all()) backEnd.close();
  }
}

/** The first of those that cost least. */
function cheapest(replicas: readonly BackEnd[], tried: readonly BackEnd[]): BackEnd | NoReplica {
  let best: BackEnd | null = null;
  let bestValue = Number.POSITIVE_INFINITY;
  let none: NoReplica = "down";
  for (const backEnd of replicas) {
    if (backEnd.isDefunct || (tried.length > 0 && tried.includes(backEnd))) continue;
    none = "busy";
    if (!backEnd.hasFreeChannel) continue;
    const { value } = backEnd;
    if (value < bestValue) {
      best = backEnd;
      bestValue = value;
    }
  }
  return best ?? none;
}

// Decides whether the graphs of a replica are complete enough for service. The goal is the last
// transaction that the provider had when it connected. Once the replica has reached it, it stays
// caught up however far it lags, until a snapshot replaces a graph.
//
// Invariant: a data folder marked as caught up has a complete state that the provider once had.

import type { ReplicaReport } from "../metrics/traffic.js";

/** Time without a provider after which a replica that is marked as caught up serves alone. */
const ORPHAN_MS = 10_000;

export interface CatchUpContext {
  readonly hasProvider: boolean;
  readonly isDiverged: boolean;
}

export class CatchUp {
  #goal: number | null = null;
  #reached: number | null = null;
  /** True if the data folder is marked as caught up. */
  #isMarked: boolean;
  #isReady = false;
  #isFetching: boolean;
  /** True if the last provider rejected the positions of this replica. */
  #isRejected = false;
  #snapshot = { done: 0, of: 0 };
  #aloneSince: number;
  readonly #now: () => number;

  /**
   * @param isMarked true if the data folder is marked as caught up
   * @param isFetching true if it is marked as having an incomplete set of snapshots
   */
  constructor(isMarked: boolean, now = () => performance.now(), isFetching = false) {
    this.#isMarked = isMarked;
    this.#isFetching = isFetching;
    this.#now = now;
    this.#aloneSince = now();
  }

  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** True while a snapshot has replaced a graph and the others have not reached the same state. */
  get isFetching(): boolean {
    return this.#isFetching;
  }

  /** Starts following a provider. @param goal null: it is not caught up itself yet */
  begin(goal: number | null): void {
    this.#isRejected = false;
    this.#goal = goal;
    this.#reached = null;
  }

  /** Sets the goal if the provider had none before. */
  adoptGoal(goal: number | null): void {
    this.#goal ??= goal;
  }

  /** Records that a snapshot begins to replace a graph: the state is incomplete until the goal. */
  beginSnapshot(bytes: number): void {
    this.#snapshot = { done: 0, of: this.#snapshot.of + bytes };
    this.#isMarked = false;
    this.#isReady = false;
    this.#isFetching = true;
  }

  countSnapshotBytes(bytes: number): void {
    this.#snapshot.done += bytes;
  }

  /**
   * Records that everything up to a transaction is durable here.
   * @returns true if the replica has just caught up
   */
  advance(sn: number): boolean {
    this.#reached = sn;
    if (this.#goal === null || sn < this.#goal) return false;
    const isNew = !this.#isReady;
    this.#isReady = true;
    this.#isMarked = true;
    this.#isFetching = false;
    return isNew;
  }

  /** Records that a provider has rejected the state of this replica, which it never had. */
  providerRejected(): void {
    this.#isRejected = true;
  }

  /** Records that the provider has disconnected. */
  providerLost(): void {
    this.#aloneSince = this.#now();
    this.#snapshot = { done: 0, of: 0 };
  }

  report({ hasProvider, isDiverged }: CatchUpContext): ReplicaReport {
    if (isDiverged || this.#isRejected) return { state: "diverged", done: 0, of: 0 };
    if (!hasProvider && this.#isMarked && this.#now() - this.#aloneSince >= ORPHAN_MS) {
      this.#isReady = true;
    }
    const [done, of] = [this.#reached ?? 0, this.#goal ?? 0];
    if (this.#isReady) return { state: hasProvider ? "caught-up" : "orphan", done, of };
    if (!hasProvider) return { state: "waiting", done: 0, of: 0 };
    if (this.#reached === null) return { state: "fetching", ...this.#snapshot };
    return { state: "catching-up", done, of };
  }
}

// Decides whether the graphs of a replica are complete enough for service. The goal is the last
// transaction that the provider had when it connected. Once reached, the replica stays caught up
// while it lags; only a snapshot that replaces a graph takes that away.
//
// Invariant: a data folder marked as caught up has a complete state that the provider once had.

import type { ReplicaReport } from "../metrics/traffic.js";

/** A replica that was caught up before its start serves without a provider after this time. */
const ORPHAN_MS = 10_000;

export interface CatchUpContext {
  readonly hasProvider: boolean;
  readonly isDiverged: boolean;
}

export class CatchUp {
  #goal: number | null = null;
  #reached: number | null = null;
  /** The data folder is marked as caught up. */
  #isMarked: boolean;
  #isReady = false;
  #isFetching: boolean;
  /** The last provider did not accept what is here. */
  #isRejected = false;
  #snapshot = { done: 0, of: 0 };
  #aloneSince: number;
  readonly #now: () => number;

  /**
   * @param isMarked whether the data folder says that it was caught up
   * @param isFetching whether it says that snapshots have replaced graphs since
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

  /** A snapshot has replaced a graph, and the others do not fit it yet. */
  get isFetching(): boolean {
    return this.#isFetching;
  }

  /** Starts following a provider; null: it is not caught up itself yet. */
  begin(goal: number | null): void {
    this.#isRejected = false;
    this.#goal = goal;
    this.#reached = null;
  }

  /** Takes the goal of a provider that had none before. */
  adoptGoal(goal: number | null): void {
    this.#goal ??= goal;
  }

  /** A graph is being replaced: what is here is incomplete. */
  fetch(bytes: number): void {
    this.#snapshot = { done: 0, of: this.#snapshot.of + bytes };
    this.#isMarked = false;
    this.#isReady = false;
    this.#isFetching = true;
  }

  fetched(bytes: number): void {
    this.#snapshot.done += bytes;
  }

  /**
   * Everything up to a transaction is durable here.
   * @returns true if the replica has just caught up
   */
  reach(sn: number): boolean {
    this.#reached = sn;
    if (this.#goal === null || sn < this.#goal) return false;
    const isNew = !this.#isReady;
    this.#isReady = true;
    this.#isMarked = true;
    this.#isFetching = false;
    return isNew;
  }

  /** A provider has rejected what is here: it never had this state. */
  reject(): void {
    this.#isRejected = true;
  }

  /** The provider has gone. */
  lose(): void {
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

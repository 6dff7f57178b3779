// Distributed lock for admin procedures: a run acquires a lease on every running instance in a
// fixed order and renews it. The lease of a killed run expires after some seconds; `--force`
// preempts it.

import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../base/errors.js";
import type { InstanceCalls } from "./instance-calls.js";
import { requestInstance } from "./instance-client.js";
import { unexpectedResponse } from "./unexpected-response.js";

const LEASE_SECONDS = 15;
/** Renewals per lease. */
const RENEWALS = 3;
const PROBE_TIMEOUT_MS = 5000;

interface LeaseReply {
  readonly status: string;
  readonly what?: string;
  readonly operator?: string;
  readonly since?: number;
  readonly seconds?: number;
}

export class ProcedureLease {
  /** Identifies this run to the instances. */
  readonly holder = randomBytes(16).toString("hex");
  readonly #instances: InstanceCalls;
  readonly #seconds: number;
  #what: string;
  readonly #loss = new AbortController();
  #lost: SvcError | null = null;
  /** Instances that granted the lease. An unreachable instance cannot grant it to another run. */
  readonly #granted = new Set<string>();
  readonly #renewals = new Map<string, Promise<void>>();

  private constructor(instances: InstanceCalls, what: string, seconds: number) {
    this.#instances = instances;
    this.#seconds = seconds;
    this.#what = what;
  }

  /**
   * Runs a procedure while no other one can run.
   * @param instances `isForced`: preempts another run
   * @param seconds duration of the lease, after which a killed run no longer blocks others
   * @throws SvcError SVC3330 while another procedure is running
   */
  static async during<T>(
    instances: InstanceCalls & { readonly isForced: boolean },
    what: string,
    procedure: (lease: ProcedureLease) => Promise<T>,
    seconds = LEASE_SECONDS,
  ): Promise<T> {
    const lease = new ProcedureLease(instances, what, seconds);
    // The first leases could expire while the others are still being acquired.
    const timer = setInterval(() => lease.#renewQuietly(), (seconds * 1000) / RENEWALS);
    try {
      await lease.#acquire(instances.isForced);
      // If two runs preempt each other, both must notice before they act.
      await lease.renew();
      return await procedure(lease);
    } catch (error) {
      throw unexpectedResponse("an instance", error);
    } finally {
      clearInterval(timer);
      await lease.#release();
    }
  }

  /**
   * Renews the lease before a step that affects others, and acquires it from restarted instances.
   * @param restarted instances that may have restarted since
   * @throws SvcError SVC3331 if another run has preempted the lease
   */
  async renew(restarted: readonly string[] = []): Promise<void> {
    for (const id of restarted) this.#granted.add(id);
    await Promise.all([...this.#granted].map((id) => this.#renewAt(id)));
    if (this.#lost !== null) throw this.#lost;
  }

  /** Shows the progress of the run to other operators, with the next renewal. */
  describe(what: string): void {
    this.#what = what;
  }

  /** Ignores failures: `renew` reports them. A slow instance does not delay other renewals. */
  #renewQuietly(): void {
    for (const id of this.#granted) {
      if (this.#renewals.has(id)) continue;
      const renewed = this.#renewAt(id)
        .catch(() => {})
        .finally(() => this.#renewals.delete(id));
      this.#renewals.set(id, renewed);
    }
  }

  /** Acquires leases in the same order in all runs, so that one of two concurrent runs succeeds. */
  async #acquire(isForced: boolean): Promise<void> {
    const ids = [...this.#instances.system.instances.keys()].sort();
    const reachable = ids.map(async (id) => {
      const probe = { path: "/svc/nodestat", timeoutMs: PROBE_TIMEOUT_MS };
      const isReachable = await requestInstance(this.#instances.address(id), probe).then(
        () => true,
        () => false,
      );
      return isReachable ? [id] : [];
    });
    for (const id of (await Promise.all(reachable)).flat()) {
      const reply = await this.#requestLease(id, this.#seconds, isForced);
      if (this.#lost !== null) throw this.#lost;
      if (reply?.status === "held")
        throw new SvcError("SVC3330", `${id}: ${describeHolder(reply)}`);
      if (reply !== null) this.#granted.add(id);
    }
  }

  async #renewAt(id: string): Promise<void> {
    const reply = await this.#requestLease(id, this.#seconds, false);
    if (reply?.status !== "held") return;
    const text = `${id}: preempted by another run: ${describeHolder(reply)}`;
    this.#lost ??= new SvcError("SVC3331", text);
    this.#loss.abort();
  }

  /**
   * Pauses between two steps.
   * @throws SvcError SVC3331 if another run preempts the lease meanwhile
   */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#loss.signal }).catch(() => {});
    if (this.#lost !== null) throw this.#lost;
  }

  async #release(): Promise<void> {
    const releases = [...this.#granted].map(async (id) => {
      // A restarted instance would accept a renewal after the release as a new lease.
      await this.#renewals.get(id);
      await this.#requestLease(id, 0, false);
    });
    // A lease that could not be released expires.
    await Promise.allSettled(releases);
  }

  /** Returns null for an unreachable instance. */
  async #requestLease(id: string, seconds: number, isForced: boolean): Promise<LeaseReply | null> {
    const parameters = {
      ...{ holder: this.holder, what: this.#what, operator: operatorName() },
      ...{ seconds: String(seconds), force: isForced ? "1" : "0" },
    };
    try {
      return (await this.#instances.call(id, "Lease", parameters)) as LeaseReply;
    } catch (error) {
      if (error instanceof SvcError && error.code === "SVC2701") return null;
      throw error;
    }
  }
}

function describeHolder({ what, operator, since = 0, seconds }: LeaseReply): string {
  const time = new Date(since * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  if (seconds === 0) return `${what} by ${operator}, begun at ${time}, is over`;
  const end = `its lease expires in ${seconds} s unless renewed`;
  return `${what} by ${operator} has been running since ${time}; ${end}`;
}

function operatorName(): string {
  let user = "somebody";
  try {
    user = userInfo().username;
  } catch {
    // A user id without a name, as in containers.
  }
  return `${user}@${hostname()}, process ${process.pid}`;
}

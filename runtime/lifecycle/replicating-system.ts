// Replication part of the library's `system`. The interconnect thread executes it; see
// docs/guides/replicating-graphs.md.

import { AllGraphs } from "../graph/api/all-graphs.js";
import type { Control } from "../interconnect/control.js";
import type { Throttle, ThrottleUnit } from "../interconnect/flow-control.js";

const FENCE_MS = 60_000;
const SYNC_MS = 30_000;

export abstract class ReplicatingSystem extends AllGraphs {
  protected abstract control(control: Control): Promise<unknown>;

  /**
   * Provides the graphs of this process to subscribers permanently: it connects, and reconnects, as
   * soon as a subscriber is reachable.
   * @param uris `svc://host:port` with the tx port
   * @throws SvcError SVC2536 if already attached; SVC2530 without a transaction log or key
   */
  async attach(uris: string | readonly string[]): Promise<void> {
    for (const uri of typeof uris === "string" ? [uris] : uris) {
      await this.control({ do: "attach", uri });
    }
  }

  /** Returns the URIs of all attached subscribers, connected or not. */
  async attached(): Promise<readonly string[]> {
    return (await this.control({ do: "attached" })) as readonly string[];
  }

  /**
   * Detaches a subscriber, or all; first waits for their acknowledgement unless `force` is set.
   * @returns the number of detached subscribers
   * @throws SvcError SVC2537 if they do not acknowledge in time
   */
  async detach(uri: string | null = null, force = false): Promise<number> {
    if (!force) await this.fence();
    return (await this.control({ do: "detach", uri })) as number;
  }

  /**
   * Listens for a provider and becomes its replica, whose graphs only the provider changes.
   * @throws SvcError SVC2530 if the port cannot be bound; SVC2534 if graphs are not empty
   */
  async bind(port: number): Promise<void> {
    await this.control({ do: "bind", port });
  }

  /** Returns the tx port; 0: none. */
  async bound(): Promise<number> {
    return (await this.control({ do: "bound" })) as number;
  }

  /** Stops listening; the graphs stay read-only replicas. */
  async unbind(): Promise<void> {
    await this.control({ do: "unbind" });
  }

  /**
   * Makes this replica the provider: its graphs become writable, and a returning former provider is
   * fenced.
   * @returns the new epoch
   */
  async promote(): Promise<number> {
    return (await this.control({ do: "promote" })) as number;
  }

  /**
   * Resolves when all subscribers have acknowledged all commits so far.
   * @throws SvcError SVC2537
   */
  async fence(timeout = FENCE_MS): Promise<void> {
    await this.control({ do: "fence", timeoutMs: timeout });
  }

  /**
   * Resends diverged graphs, or all, to all subscribers.
   * @returns false if still in progress at the timeout
   */
  async sync(hard = false, timeout = SYNC_MS): Promise<boolean> {
    const repair = hard ? "all" : "different";
    return (await this.control({ do: "sync", repair, timeoutMs: timeout })) as boolean;
  }

  /**
   * Cancels repairs started by `sync`: subscribers may stay diverged until the next one.
   * @returns the number of cancelled repairs
   */
  async cancelSync(): Promise<number> {
    return (await this.control({ do: "cancelSync" })) as number;
  }

  /**
   * Recomputes the digests of all graphs; each graph is locked meanwhile.
   * @returns the graphs whose digest does not match
   */
  async checkDigests(): Promise<readonly string[]> {
    return (await this.control({ do: "checkDigests" })) as readonly string[];
  }

  /**
   * Suspends outbound replication until `resume`, after all subscribers have acknowledged all
   * commits so far; later commits stay in the log.
   * @throws SvcError SVC2537, and nothing is suspended
   */
  async suspend(timeout = FENCE_MS): Promise<void> {
    await this.fence(timeout);
    await this.suspendTxOutput();
  }

  async resume(): Promise<void> {
    await this.resumeTxOutput();
  }

  /** Suspends sending until `resumeTxOutput`; commits stay in the log. */
  async suspendTxOutput(): Promise<void> {
    await this.control({ do: "suspend", what: "output" });
  }

  async resumeTxOutput(): Promise<void> {
    await this.control({ do: "resume", what: "output" });
  }

  /** Suspends applying until `resumeTxInput`; transactions wait at the provider. */
  async suspendTxInput(): Promise<void> {
    await this.control({ do: "suspend", what: "input" });
  }

  async resumeTxInput(): Promise<void> {
    await this.control({ do: "resume", what: "input" });
  }

  /**
   * Limits the send rate per second; null: unlimited.
   * @returns all rates
   * @throws SvcError SVC2536
   */
  async throttle(rate: number | null = null, unit: ThrottleUnit = "bytes"): Promise<Throttle> {
    return (await this.control({ do: "throttle", unit, rate })) as Throttle;
  }
}

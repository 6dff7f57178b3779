// What the library's `system` does about other instances that provide graphs, or get them. All of
// it is done by the thread that keeps the graphs; see docs/guides/replicating-graphs.md.

import { AllGraphs } from "../graph/api/all-graphs.js";
import type { Control } from "../interconnect/control.js";
import type { Throttle, ThrottleUnit } from "../interconnect/flow-control.js";

const FENCE_MS = 60_000;
const SYNC_MS = 30_000;

export abstract class ReplicatingSystem extends AllGraphs {
  protected abstract control(control: Control): Promise<unknown>;

  /**
   * Provides the graphs of this process to others, from now on and for ever: to one that is not
   * there yet, or is lost, it is connected as soon as that can be.
   * @param uris `svc://host:port` with the tx port
   * @throws SvcError SVC2536 for one that is attached already; SVC2530 without a log or a key
   */
  async attach(uris: string | readonly string[]): Promise<void> {
    for (const uri of typeof uris === "string" ? [uris] : uris) {
      await this.control({ do: "attach", uri });
    }
  }

  /** URIs of all that are attached, connected or not. */
  async attached(): Promise<readonly string[]> {
    return (await this.control({ do: "attached" })) as readonly string[];
  }

  /**
   * Provides to one no more, or to none; what it lacks is waited for unless that is not wanted.
   * @returns how many were detached
   * @throws SvcError SVC2537 if it does not get that in time
   */
  async detach(uri: string | null = null, force = false): Promise<number> {
    if (!force) await this.fence();
    return (await this.control({ do: "detach", uri })) as number;
  }

  /**
   * Listens for a provider, whose replica this process becomes: nobody else changes its graphs.
   * @throws SvcError SVC2530 for a port that cannot be had; SVC2534 where graphs are not empty
   */
  async bind(port: number): Promise<void> {
    await this.control({ do: "bind", port });
  }

  /** The tx port, 0 for none. */
  async bound(): Promise<number> {
    return (await this.control({ do: "bound" })) as number;
  }

  /** Listens no more; the graphs stay a replica, and readonly. */
  async unbind(): Promise<void> {
    await this.control({ do: "unbind" });
  }

  /**
   * Takes over from the provider: the graphs may be changed from now on, and the former provider,
   * should it come back, is told that it was replaced.
   * @returns the epoch that begins
   */
  async promote(): Promise<number> {
    return (await this.control({ do: "promote" })) as number;
  }

  /**
   * Resolves when all that was committed so far is with all subscribers.
   * @throws SvcError SVC2537
   */
  async fence(timeout = FENCE_MS): Promise<void> {
    await this.control({ do: "fence", timeoutMs: timeout });
  }

  /**
   * Sends all subscribers again what differs with them, or everything.
   * @returns false if that is still under way
   */
  async sync(hard = false, timeout = SYNC_MS): Promise<boolean> {
    const repair = hard ? "all" : "different";
    return (await this.control({ do: "sync", repair, timeoutMs: timeout })) as boolean;
  }

  /**
   * Stops what `sync` has begun: graphs of subscribers may differ then, until the next one.
   * @returns how many were stopped
   */
  async cancelSync(): Promise<number> {
    return (await this.control({ do: "cancelSync" })) as number;
  }

  /**
   * Adds up again what all graphs contain; none can be changed while it is added up.
   * @returns those whose digest is another one: its changes were not all counted
   */
  async checkDigests(): Promise<readonly string[]> {
    return (await this.control({ do: "checkDigests" })) as readonly string[];
  }

  /**
   * Produces nothing more until `resume`: resolves when all that was committed so far is with all
   * subscribers; what is committed later stays in the log.
   * @throws SvcError SVC2537, and nothing is suspended
   */
  async suspend(timeout = FENCE_MS): Promise<void> {
    await this.fence(timeout);
    await this.suspendTxOutput();
  }

  async resume(): Promise<void> {
    await this.resumeTxOutput();
  }

  /** Sends nothing more until `resumeTxOutput`; what is committed stays in the log. */
  async suspendTxOutput(): Promise<void> {
    await this.control({ do: "suspend", what: "output" });
  }

  async resumeTxOutput(): Promise<void> {
    await this.control({ do: "resume", what: "output" });
  }

  /** Applies nothing more until `resumeTxInput`; it waits with the provider. */
  async suspendTxInput(): Promise<void> {
    await this.control({ do: "suspend", what: "input" });
  }

  async resumeTxInput(): Promise<void> {
    await this.control({ do: "resume", what: "input" });
  }

  /**
   * Sends no more than so much a second; null: as much as there is.
   * @returns all bounds
   * @throws SvcError SVC2536
   */
  async throttle(rate: number | null = null, unit: ThrottleUnit = "bytes"): Promise<Throttle> {
    return (await this.control({ do: "throttle", unit, rate })) as Throttle;
  }
}

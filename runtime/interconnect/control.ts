// Control operations on running replication (docs/guides/replicating-graphs.md).

import type { RepairAction } from "../graph/manager/graph-source.js";
import type { ThrottleUnit } from "./flow-control.js";

export type Control =
  /** Adds a permanent subscriber. */
  | { readonly do: "attach"; readonly uri: string }
  /** Returns the URIs of all subscribers. */
  | { readonly do: "attached" }
  /** Returns the number of detached subscribers. `uri: null` detaches all. */
  | { readonly do: "detach"; readonly uri: string | null }
  /** Listens for a provider, and makes all graphs replicas. */
  | { readonly do: "bind"; readonly port: number }
  /** Returns the port (0: none). */
  | { readonly do: "bound" }
  /** Stops listening. Graphs keep their contents and stay read-only. */
  | { readonly do: "unbind" }
  /**
   * Makes this replica a provider. Returns the new epoch. In a group that elects its leader,
   * `acceptsLoss` must confirm that no member with all changes is left.
   */
  | { readonly do: "promote"; readonly acceptsLoss?: boolean }
  /** Lets another member of its group lead. Resolves when this instance follows. */
  | { readonly do: "handOver"; readonly to: string; readonly timeoutMs: number }
  /** Resolves when all subscribers have acknowledged all commits. */
  | { readonly do: "fence"; readonly timeoutMs: number }
  /**
   * Resends all or the diverged graphs to the subscribers. Returns false if the timeout expired.
   */
  | { readonly do: "sync"; readonly repair: RepairAction; readonly timeoutMs: number }
  /** Returns the number of cancelled repairs. */
  | { readonly do: "cancelSync" }
  /** Returns the graphs whose digest does not match their contents. */
  | { readonly do: "checkDigests" }
  | { readonly do: "suspend" | "resume"; readonly what: "input" | "output" }
  /** Sets the maximum rate per second of outbound traffic (null: no limit). Returns all rates. */
  | { readonly do: "throttle"; readonly unit: ThrottleUnit; readonly rate: number | null };

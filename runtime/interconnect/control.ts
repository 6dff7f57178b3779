// What a program can ask of replication while it runs; see docs/guides/replicating-graphs.md.

import type { RepairAction } from "../graph/manager/graph-source.js";
import type { ThrottleUnit } from "./flow-control.js";

export type Control =
  /** Provides to one more, for ever. */
  | { readonly do: "attach"; readonly uri: string }
  /** Answered with the URIs of all. */
  | { readonly do: "attached" }
  /** Answered with how many were detached; null: all. */
  | { readonly do: "detach"; readonly uri: string | null }
  /** Listens for a provider: all graphs follow it from then on. */
  | { readonly do: "bind"; readonly port: number }
  /** Answered with the port, 0: none. */
  | { readonly do: "bound" }
  /** Listens no more; graphs stay as they are, and readonly. */
  | { readonly do: "unbind" }
  /** Takes over from the provider; answered with the epoch. */
  | { readonly do: "promote" }
  /** Answered when all that was committed is with all subscribers. */
  | { readonly do: "fence"; readonly timeoutMs: number }
  /**
   * Sends subscribers again all graphs, or those that differ from what they have. Answered with
   * whether they have them.
   */
  | { readonly do: "sync"; readonly repair: RepairAction; readonly timeoutMs: number }
  /** Answered with how many were stopped. */
  | { readonly do: "cancelSync" }
  /** Answered with the graphs whose digest is not that of what they contain. */
  | { readonly do: "checkDigests" }
  | { readonly do: "suspend" | "resume"; readonly what: "input" | "output" }
  /** Most in a second of what goes out; null: no bound. Answered with all bounds. */
  | { readonly do: "throttle"; readonly unit: ThrottleUnit; readonly rate: number | null };

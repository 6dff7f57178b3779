// Table of all operations on instances: the effect of each, when it applies, and the text that
// confirms it.

import { isAt, listAt, numberAt, textAt } from "./node-stat.js";

/** An instance that is operated. */
export interface Target {
  /** Null: the instance that serves this page. */
  readonly id: string | null;
  /** `nodestat`. */
  readonly node: unknown;
  /** Its provider by the descriptor; null for none. */
  readonly provider: string | null;
  readonly host: string;
}

/** Confirmation: none, another click, or typing the text that the function returns. */
export type Confirm = "none" | "click" | ((nodes: readonly unknown[]) => string);

export interface Argument {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** Choices, the first is the default; omitted: any text. */
  readonly choices?: readonly string[];
}

export interface Operation {
  /** As the server calls it, without `ADMIN_`. */
  readonly operation: string;
  readonly title: string;
  readonly effect: string;
  readonly confirm: Confirm;
  readonly args?: readonly Argument[];
  /** Returns whether it applies to an instance; omitted: always. */
  readonly isFor?: (node: unknown, provider: string | null) => boolean;
  /** Operation of the provider, which receives the subscriber's address. */
  readonly atProvider?: "Attach" | "Detach";
  /** True if the server requires a second token. */
  readonly isTwice?: true;
  /** True to stop after the first failure on several instances. */
  readonly movesData?: true;
}

const PORT: Argument = { name: "port", label: "Port", hint: "10010" };
const URI: Argument = { name: "uri", label: "Subscriber", hint: "svc://10.0.0.7:10010" };
const MODE: Argument = {
  ...{ name: "mode", label: "Mode", hint: "" },
  choices: ["repair", "soft", "hard"],
};
const RATE: Argument = { name: "rate", label: "Units per second; 0: no limit", hint: "1000" };
const UNIT: Argument = {
  ...{ name: "unit", label: "Unit", hint: "" },
  choices: ["operations", "transactions", "opcodes", "bytes", "all_unlimited"],
};
const LEVEL: Argument = {
  ...{ name: "level", label: "Level", hint: "" },
  choices: ["info", "debug", "warn", "error"],
};
const JOB: Argument = { name: "name", label: "Job", hint: "clearCarts" };
const ALGORITHM: Argument = { name: "id", label: "Algorithm", hint: "1" };
const REASON: Argument = { name: "reason", label: "Reason", hint: "operator" };

const isIn = (node: unknown): boolean => isAt(node, "service-in");
const isReadonly = (node: unknown): boolean => isAt(node, "readonly");
const hasPort = (node: unknown): boolean => numberAt(node, "txport") > 0;
const subscribers = (node: unknown): number => listAt(node, "subscribers").length;
const not =
  (holds: (node: unknown) => boolean) =>
  (node: unknown): boolean =>
    !holds(node);
const isSubscribed = (node: unknown): boolean => textAt(node, "provider") !== "";
const sum = (nodes: readonly unknown[], of: (node: unknown) => number): number =>
  nodes.reduce((all: number, node) => all + of(node), 0);
/** Returns the numbers of vertices and arcs that would be lost. */
const content = (nodes: readonly unknown[]): string =>
  ["graph-order", "graph-size"].map((name) => sum(nodes, (node) => numberAt(node, name))).join(":");
/** Returns the requests per second that would be rejected. */
const traffic = (nodes: readonly unknown[]): string =>
  String(Math.round(sum(nodes, (node) => numberAt(node, "service-rate"))));
const receivers = (nodes: readonly unknown[]): string => String(sum(nodes, subscribers));

/** Operation for an algorithm with a known id. */
export const CANCEL_ALGORITHM: Operation = {
  operation: "CancelAlgorithm",
  title: "Cancel an algorithm",
  effect: "The algorithm fails. Values that it has written stay.",
  confirm: "click",
};

const SERVICE: readonly Operation[] = [
  {
    operation: "ServiceIn",
    title: "Service in",
    effect: "Put the instance in service: plugins respond again.",
    confirm: "none",
    isFor: not(isIn),
  },
  {
    operation: "ServiceOut",
    title: "Service out",
    effect:
      "Take the instance out of service: plugins answer 503 and dispatchers use other " +
      "replicas. Type the requests per second.",
    confirm: traffic,
    args: [REASON],
    isFor: isIn,
  },
  { ...CANCEL_ALGORITHM, args: [ALGORITHM] },
  {
    operation: "RunJob",
    title: "Run job",
    effect: "Run a scheduled function now.",
    confirm: "click",
    args: [JOB],
  },
  {
    operation: "ReloadPlugins",
    title: "Reload plugins",
    effect: "Load the newest build. Running requests finish on the old one.",
    confirm: "click",
  },
  {
    operation: "RestartHTTP",
    title: "Restart ports",
    effect: "Restart both ports with the descriptor's matrix. Running requests are lost.",
    confirm: "click",
    movesData: true,
  },
  {
    operation: "ResetMetrics",
    title: "Reset metrics",
    effect: "Reset all counters.",
    confirm: "click",
  },
  {
    operation: "LogLevel",
    title: "Log level",
    effect: "Omit log entries below this level until the process ends.",
    confirm: "click",
    args: [LEVEL],
  },
];

const GRAPHS: readonly Operation[] = [
  {
    operation: "Persist",
    title: "Save",
    effect: "Save all graphs.",
    confirm: "click",
    movesData: true,
  },
  {
    operation: "SetReadonly",
    title: "Readonly",
    effect: "Make all graphs read-only.",
    confirm: "none",
    isFor: not(isReadonly),
  },
  {
    operation: "ClearReadonly",
    title: "Writable",
    effect: "Make all graphs writable again.",
    confirm: "none",
    isFor: isReadonly,
  },
  {
    operation: "SuspendEvents",
    title: "Suspend expiry",
    effect: "Pause expiry.",
    confirm: "none",
  },
  {
    operation: "ResumeEvents",
    title: "Resume expiry",
    effect: "Resume expiry.",
    confirm: "none",
  },
];

const REPLICATION: readonly Operation[] = [
  {
    operation: "Attach",
    title: "Attach",
    effect: "Start replicating to a subscriber.",
    confirm: "none",
    args: [URI],
  },
  {
    operation: "Detach",
    title: "Detach",
    effect: "Stop replicating to a subscriber.",
    confirm: "click",
    args: [URI],
    isFor: (node) => subscribers(node) > 0,
  },
  {
    operation: "DetachAll",
    title: "Detach all",
    effect: "Stop replicating to all subscribers. Type the number of subscribers.",
    confirm: receivers,
    isFor: (node) => subscribers(node) > 0,
  },
  {
    operation: "Sync",
    title: "Synchronize",
    effect:
      "Resend diverged graphs to all subscribers; with hard, resend everything. Type the " +
      "number of subscribers.",
    confirm: receivers,
    args: [MODE],
    isFor: (node) => subscribers(node) > 0,
    movesData: true,
  },
  {
    operation: "CancelSync",
    title: "Cancel synchronization",
    effect: "Cancel the running sync. The remaining graphs are resent by the next sync.",
    confirm: "none",
    isFor: (node) => subscribers(node) > 0,
  },
  {
    operation: "Throttle",
    title: "Throttle",
    effect: "Limit replication to subscribers.",
    confirm: "click",
    args: [RATE, UNIT],
    isFor: (node) => subscribers(node) > 0,
  },
  {
    operation: "Bind",
    title: "Bind",
    effect: "Listen for a provider on a port.",
    confirm: "click",
    args: [PORT],
    isFor: not(hasPort),
  },
  {
    operation: "Unbind",
    title: "Unbind",
    effect: "Stop listening for a provider.",
    confirm: "click",
    isFor: hasPort,
  },
  {
    operation: "Subscribe",
    title: "Subscribe",
    effect: "Attach to the provider named in the descriptor.",
    confirm: "click",
    atProvider: "Attach",
    isFor: (node, provider) => provider !== null && hasPort(node) && !isSubscribed(node),
  },
  {
    operation: "Unsubscribe",
    title: "Unsubscribe",
    effect: "Detach from the provider named in the descriptor.",
    confirm: "click",
    atProvider: "Detach",
    isFor: (node, provider) => provider !== null && hasPort(node) && isSubscribed(node),
  },
  {
    operation: "SuspendTxInput",
    title: "Pause input",
    effect: "Pause inbound replication.",
    confirm: "none",
    isFor: (node) => hasPort(node) && !isAt(node, "tx-in-halted"),
  },
  {
    operation: "ResumeTxInput",
    title: "Resume input",
    effect: "Resume inbound replication.",
    confirm: "none",
    isFor: (node) => isAt(node, "tx-in-halted"),
  },
  {
    operation: "SuspendTxOutput",
    title: "Pause output",
    effect: "Pause outbound replication.",
    confirm: "none",
    isFor: (node) => subscribers(node) > 0 && !isAt(node, "tx-out-halted"),
  },
  {
    operation: "ResumeTxOutput",
    title: "Resume output",
    effect: "Resume outbound replication.",
    confirm: "none",
    isFor: (node) => isAt(node, "tx-out-halted"),
  },
];

const ENDS: readonly Operation[] = [
  {
    operation: "Truncate",
    title: "Truncate",
    effect: "Delete all data in all graphs. This cannot be undone. Type vertices:arcs.",
    confirm: content,
    movesData: true,
  },
  {
    operation: "Shutdown",
    title: "Shut down",
    effect: "Stop the process. Type vertices:arcs.",
    confirm: content,
    isTwice: true,
    movesData: true,
  },
];

/** By group, in the order in which they are shown. */
export const OPERATIONS: readonly (readonly [group: string, of: readonly Operation[]])[] = [
  ["Service", SERVICE],
  ["Graphs", GRAPHS],
  ["Replication", REPLICATION],
  ["Cannot be undone", ENDS],
];

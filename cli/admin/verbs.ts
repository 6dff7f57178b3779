// The verbs of `svc admin`; the file of each is loaded when needed.

import type { AdminContext, VerbArguments } from "./context.js";

export interface Verb {
  readonly name: string;
  /** Arguments of the verb, as shown in its help. */
  readonly takes: string;
  readonly summary: string;
  readonly load: () => Promise<{
    /** Returns the exit code. */
    run(context: AdminContext, args: VerbArguments): Promise<number>;
  }>;
}

/** Verbs that run one operation each. */
async function change<T>(choose: (module: typeof import("./change-verbs.js")) => T): Promise<T> {
  return choose(await import("./change-verbs.js"));
}

export const VERBS: readonly Verb[] = [
  {
    name: "status",
    takes: "[ids]",
    summary: "show all instances; above 200, totals by dispatcher",
    load: () => import("./status.js"),
  },
  {
    name: "nodestat",
    takes: "[ids] [key]",
    summary: "show the metrics of instances, or one metric",
    load: () => import("./inspect-verbs.js").then(({ nodestat }) => nodestat),
  },
  {
    name: "descriptor",
    takes: "",
    summary: "print the descriptor in use",
    load: () => import("./inspect-verbs.js").then(({ descriptor }) => descriptor),
  },
  {
    name: "plan",
    takes: "[ids]",
    summary: "print the settings that instances start with",
    load: () => import("./inspect-verbs.js").then(({ plan }) => plan),
  },
  {
    name: "wait-idle",
    takes: "[ids]",
    summary: "wait until no graph has changed for 5 seconds",
    load: () => import("./inspect-verbs.js").then(({ waitIdle }) => waitIdle),
  },
  {
    name: "service-in",
    takes: "[ids]",
    summary: "put instances in service",
    load: () => import("./service-in.js"),
  },
  {
    name: "service-out",
    takes: "<ids>",
    summary: "take instances out of service (plugins answer 503)",
    load: () => change(({ changeVerb }) => changeVerb("ServiceOut", { needsIds: true })),
  },
  {
    name: "persist",
    takes: "[ids]",
    summary: "save all graphs",
    load: () => change(({ changeVerb }) => changeVerb("Persist")),
  },
  {
    name: "readonly",
    takes: "[ids]",
    summary: "make all graphs read-only",
    load: () => change(({ changeVerb }) => changeVerb("SetReadonly")),
  },
  {
    name: "clear-readonly",
    takes: "[ids]",
    summary: "make all graphs writable again",
    load: () => change(({ changeVerb }) => changeVerb("ClearReadonly")),
  },
  {
    name: "pause-events",
    takes: "[ids]",
    summary: "pause expiry",
    load: () => change(({ changeVerb }) => changeVerb("SuspendEvents")),
  },
  {
    name: "resume-events",
    takes: "[ids]",
    summary: "resume expiry",
    load: () => change(({ changeVerb }) => changeVerb("ResumeEvents")),
  },
  {
    name: "truncate",
    takes: "<ids>",
    summary: "delete all graph data",
    load: () =>
      change(({ changeVerb }) => changeVerb("Truncate", { needsIds: true, needsYes: true })),
  },
  {
    name: "reload",
    takes: "[ids]",
    summary: "load the newest build",
    load: () => change(({ changeVerb }) => changeVerb("ReloadPlugins")),
  },
  {
    name: "restart-http",
    takes: "<ids>",
    summary: "restart both ports with the descriptor's matrix",
    load: () => change(({ changeVerb }) => changeVerb("RestartHTTP", { needsIds: true })),
  },
  {
    name: "algorithms",
    takes: "[ids]",
    summary: "show running algorithms over whole graphs",
    load: () => import("./algorithm-verbs.js").then(({ algorithms }) => algorithms),
  },
  {
    name: "cancel-algorithm",
    takes: "<ids> <algorithm>",
    summary: "cancel a running algorithm by its id",
    load: () => import("./algorithm-verbs.js").then(({ cancelAlgorithm }) => cancelAlgorithm),
  },
  {
    name: "reset-metrics",
    takes: "[ids]",
    summary: "reset the metrics",
    load: () => change(({ changeVerb }) => changeVerb("ResetMetrics")),
  },
  {
    name: "log-level",
    takes: "<ids> error|warn|info|debug",
    summary: "change the log level until the process ends",
    load: () => import("./log-level.js"),
  },
  {
    name: "stop",
    takes: "<ids>",
    summary: "stop the processes",
    load: () =>
      change(({ changeVerb }) => {
        const parameters = { persist: "1" };
        return changeVerb("Shutdown", { needsIds: true, needsYes: true, parameters });
      }),
  },
  {
    name: "rolling-update",
    takes: "[ids]",
    summary: "load the newest build, one replica at a time",
    load: () => import("./rolling-update.js"),
  },
  {
    name: "send-descriptor",
    takes: "[ids]",
    summary: "send this descriptor to instances",
    load: () => import("./send-descriptor.js"),
  },
  {
    name: "slots",
    takes: "",
    summary: "count vertices by group and type, and find missing anchors",
    load: () => import("./slots.js"),
  },
  {
    name: "grow",
    takes: "",
    summary: "move slots to groups that the descriptor adds",
    load: () => import("./move-slots.js").then(({ grow }) => grow),
  },
  {
    name: "shrink",
    takes: "<groups>",
    summary: "move all slots of groups to the others",
    load: () => import("./move-slots.js").then(({ shrink }) => shrink),
  },
  {
    name: "rebalance",
    takes: "",
    summary: "give all groups equal numbers of slots; complete an interrupted move",
    load: () => import("./move-slots.js").then(({ rebalance }) => rebalance),
  },
  {
    name: "endpoint",
    takes: "<ids> <path>",
    summary: "fetch a path from the admin ports of instances",
    load: () => import("./inspect-verbs.js").then(({ endpoint }) => endpoint),
  },
  {
    name: "manifest",
    takes: "<platform>",
    summary: "generate systemd, kubernetes, nomad or compose files",
    load: () => import("./manifest.js"),
  },
  {
    name: "bind",
    takes: "<ids>",
    summary: "listen for a provider on the descriptor's port",
    load: () => import("./replication-verbs.js").then(({ bind }) => bind),
  },
  {
    name: "unbind",
    takes: "<ids>",
    summary: "stop listening for a provider",
    load: () => change(({ changeVerb }) => changeVerb("Unbind", { needsIds: true })),
  },
  {
    name: "unsubscribe",
    takes: "<ids>",
    summary: "detach instances from their provider",
    load: () => import("./replication-verbs.js").then(({ unsubscribe }) => unsubscribe),
  },
  {
    name: "pause-replication",
    takes: "<ids> in|out",
    summary: "pause inbound or outbound replication",
    load: () => import("./replication-verbs.js").then(({ pause }) => pause),
  },
  {
    name: "resume-replication",
    takes: "<ids> in|out",
    summary: "resume inbound or outbound replication",
    load: () => import("./replication-verbs.js").then(({ resume }) => resume),
  },
  {
    name: "cancel-sync",
    takes: "<ids>",
    summary: "cancel a running sync",
    load: () => change(({ changeVerb }) => changeVerb("CancelSync", { needsIds: true })),
  },
  {
    name: "throttle",
    takes: "<ids> [rate,unit]",
    summary: "limit outbound replication, e.g. 1000,operations (0: no limit)",
    load: () => import("./replication-verbs.js").then(({ throttle }) => throttle),
  },
  {
    name: "attach",
    takes: "[ids] [subscribers]",
    summary: "start replicating to subscribers",
    load: () => import("./subscribers.js").then(({ attach }) => attach),
  },
  {
    name: "detach",
    takes: "[ids]",
    summary: "stop replicating to all subscribers",
    load: () => import("./subscribers.js").then(({ detach }) => detach),
  },
  {
    name: "sync",
    takes: "[ids]",
    summary: "resend diverged graphs to subscribers",
    load: () => change(({ changeVerb }) => changeVerb("Sync")),
  },
  {
    name: "force-copy",
    takes: "<from> <to>",
    summary: "copy all graphs to an instance that lost its own",
    load: () => import("./force-copy.js"),
  },
  {
    name: "dump",
    takes: "<ids>",
    summary: "write graphs and log to a folder in the instance's root",
    load: () => import("./dump.js"),
  },
  {
    name: "promote",
    takes: "<ids>",
    summary: "promote subscribers to replace a lost provider",
    load: () => import("./subscribers.js").then(({ promote }) => promote),
  },
  {
    name: "handover",
    takes: "<from> <to>",
    summary: "let another member of a group lead",
    load: () => import("./subscribers.js").then(({ handover }) => handover),
  },
];

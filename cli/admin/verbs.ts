// The verbs of `svc admin`, each with a file that is loaded when it is needed.

import type { AdminContext, VerbArguments } from "./context.js";

export interface Verb {
  readonly name: string;
  /** Arguments of the verb. */
  readonly takes: string;
  readonly summary: string;
  readonly load: () => Promise<{
    /** Returns the exit code. */
    run(context: AdminContext, given: VerbArguments): Promise<number>;
  }>;
}

/** The verbs that are one operation each. */
async function change<T>(choose: (module: typeof import("./change-verbs.js")) => T): Promise<T> {
  return choose(await import("./change-verbs.js"));
}

export const VERBS: readonly Verb[] = [
  {
    name: "status",
    takes: "[ids]",
    summary: "a table of all instances",
    load: () => import("./status.js"),
  },
  {
    name: "nodestat",
    takes: "[ids] [key]",
    summary: "all figures of instances, or one",
    load: () => import("./inspect-verbs.js").then(({ nodestat }) => nodestat),
  },
  {
    name: "descriptor",
    takes: "",
    summary: "the descriptor in use",
    load: () => import("./inspect-verbs.js").then(({ descriptor }) => descriptor),
  },
  {
    name: "plan",
    takes: "[ids]",
    summary: "what instances are started with",
    load: () => import("./inspect-verbs.js").then(({ plan }) => plan),
  },
  {
    name: "wait-idle",
    takes: "[ids]",
    summary: "until no graph has changed for 5 seconds",
    load: () => import("./inspect-verbs.js").then(({ waitIdle }) => waitIdle),
  },
  {
    name: "service-in",
    takes: "[ids]",
    summary: "plugins answer again",
    load: () => change(({ changeVerb }) => changeVerb("ServiceIn")),
  },
  {
    name: "service-out",
    takes: "<ids>",
    summary: "plugins answer 503",
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
    summary: "nobody may change graphs",
    load: () => change(({ changeVerb }) => changeVerb("SetReadonly")),
  },
  {
    name: "clear-readonly",
    takes: "[ids]",
    summary: "graphs may be changed again",
    load: () => change(({ changeVerb }) => changeVerb("ClearReadonly")),
  },
  {
    name: "pause-events",
    takes: "[ids]",
    summary: "nothing in graphs expires",
    load: () => change(({ changeVerb }) => changeVerb("SuspendEvents")),
  },
  {
    name: "resume-events",
    takes: "[ids]",
    summary: "it does again",
    load: () => change(({ changeVerb }) => changeVerb("ResumeEvents")),
  },
  {
    name: "truncate",
    takes: "<ids>",
    summary: "delete all data of graphs",
    load: () =>
      change(({ changeVerb }) => changeVerb("Truncate", { needsIds: true, needsYes: true })),
  },
  {
    name: "reload",
    takes: "[ids]",
    summary: "take the newest build into service",
    load: () => change(({ changeVerb }) => changeVerb("ReloadPlugins")),
  },
  {
    name: "restart-http",
    takes: "<ids>",
    summary: "stop and start both ports, with the matrix of the descriptor",
    load: () => change(({ changeVerb }) => changeVerb("RestartHTTP", { needsIds: true })),
  },
  {
    name: "reset-metrics",
    takes: "[ids]",
    summary: "count from zero",
    load: () => change(({ changeVerb }) => changeVerb("ResetMetrics")),
  },
  {
    name: "stop",
    takes: "<ids>",
    summary: "end processes",
    load: () =>
      change(({ changeVerb }) => {
        const parameters = { persist: "1" };
        return changeVerb("Shutdown", { needsIds: true, needsYes: true, parameters });
      }),
  },
  {
    name: "rolling-update",
    takes: "[ids]",
    summary: "replicas take the newest build, one after the other",
    load: () => import("./rolling-update.js"),
  },
  {
    name: "send-descriptor",
    takes: "[ids]",
    summary: "give instances this descriptor",
    load: () => import("./send-descriptor.js"),
  },
  {
    name: "endpoint",
    takes: "<ids> <path>",
    summary: "what instances answer on their admin ports",
    load: () => import("./inspect-verbs.js").then(({ endpoint }) => endpoint),
  },
  {
    name: "manifest",
    takes: "<platform>",
    summary: "what systemd, kubernetes, nomad or compose start instances from",
    load: () => import("./manifest.js"),
  },
  {
    name: "bind",
    takes: "<ids>",
    summary: "take changes on the port of the descriptor",
    load: () => import("./replication-verbs.js").then(({ bind }) => bind),
  },
  {
    name: "unbind",
    takes: "<ids>",
    summary: "take changes no more",
    load: () => change(({ changeVerb }) => changeVerb("Unbind", { needsIds: true })),
  },
  {
    name: "unsubscribe",
    takes: "<ids>",
    summary: "have their providers detach them",
    load: () => import("./replication-verbs.js").then(({ unsubscribe }) => unsubscribe),
  },
  {
    name: "pause-replication",
    takes: "<ids> in|out",
    summary: "apply, or send, no changes for now",
    load: () => import("./replication-verbs.js").then(({ pause }) => pause),
  },
  {
    name: "resume-replication",
    takes: "<ids> in|out",
    summary: "go on with that",
    load: () => import("./replication-verbs.js").then(({ resume }) => resume),
  },
  {
    name: "cancel-sync",
    takes: "<ids>",
    summary: "end a synchronization of subscribers",
    load: () => change(({ changeVerb }) => changeVerb("CancelSync", { needsIds: true })),
  },
  {
    name: "throttle",
    takes: "<ids> [rate,unit]",
    summary: "most that is sent in a second, such as 1000,operations; 0: no bound",
    load: () => import("./replication-verbs.js").then(({ throttle }) => throttle),
  },
  {
    name: "attach",
    takes: "[ids] [subscribers]",
    summary: "provide subscribers with all changes",
    load: () => import("./subscribers.js").then(({ attach }) => attach),
  },
  {
    name: "detach",
    takes: "[ids]",
    summary: "provide nobody",
    load: () => import("./subscribers.js").then(({ detach }) => detach),
  },
  {
    name: "sync",
    takes: "[ids]",
    summary: "send subscribers again what differs from the provider's",
    load: () => change(({ changeVerb }) => changeVerb("Sync")),
  },
  {
    name: "force-copy",
    takes: "<from> <to>",
    summary: "all graphs of one instance to another, which has damaged its own",
    load: () => import("./force-copy.js"),
  },
  {
    name: "dump",
    takes: "<ids>",
    summary: "all graphs and their log as they are, in a folder of the instance's root",
    load: () => import("./dump.js"),
  },
  {
    name: "promote",
    takes: "<ids>",
    summary: "let subscribers take over from their provider, which is lost",
    load: () => import("./subscribers.js").then(({ promote }) => promote),
  },
];

// The verbs of `svc admin`, each with a file that is loaded when it is needed.

import type { AdminContext, VerbArguments } from "./context.js";

export interface Verb {
  readonly name: string;
  /** What stands behind it. */
  readonly takes: string;
  readonly summary: string;
  readonly load: () => Promise<{
    /** Returns the exit code. */
    run(context: AdminContext, given: VerbArguments): Promise<number>;
  }>;
}

export const VERBS: readonly Verb[] = [
  {
    name: "status",
    takes: "[ids]",
    summary: "a table of all instances",
    load: () => import("./status.js"),
  },
];

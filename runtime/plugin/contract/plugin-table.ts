// The user plugins as seen by threads that do not load their code.

import type { PluginRole } from "../../../argspec/argspec.js";
import type { JobFacts } from "./job-schedule.js";
import type { PluginDescription } from "./plugin-entry.js";
import type { SharedArgspec } from "./shared-argspec.js";

/** Path to the numbers of its plugins, which identify them between threads. */
export type Routes = Readonly<Record<string, PathRoutes>>;
/** An engine, or a pre-processor, a post-processor or both. */
export type PathRoutes = ByRole & {
  /** Individual time limits in milliseconds. */
  readonly timeouts?: ByRole;
  /** The engine runs in the IO thread as long as it is fast. */
  readonly inline?: true;
  /** The engine takes a form with files. */
  readonly files?: true;
  /** The engine changes no graph. */
  readonly readonly?: true;
  /** The engine is a job: svc calls it by its schedule, and clients cannot. */
  readonly job?: JobFacts;
  /** Principals that may call each role; default: any. */
  readonly access?: Readonly<Partial<Record<PluginRole, PluginAccess>>>;
};

export interface PluginAccess {
  readonly public?: true;
  readonly scopes?: readonly string[];
}

type ByRole = Readonly<Partial<Record<PluginRole, number>>>;

export interface PluginList {
  readonly routes: Routes;
  readonly descriptions: readonly PluginDescription[];
}

export function hasJobs(routes: Routes): boolean {
  return Object.values(routes).some(({ job }) => job !== undefined);
}

export interface PluginTable extends PluginList {
  /** The argspec of these plugins; its `service` is that of their build. */
  readonly argspec: SharedArgspec;
}

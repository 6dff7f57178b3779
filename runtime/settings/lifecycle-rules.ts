// The keys `onStart` and `onStop`: functions of the project that run when executors start and stop,
// or only in the first executor.

import { beforeRule } from "./plugin-rules.js";
import { nullable, object, type Rule, withDefault } from "./rules.js";

export interface LifecycleConfig {
  /** Runs in each executor, `module#export`. */
  readonly executor?: string | null | undefined;
  /** Runs once for the instance, in its first executor, `module#export`. */
  readonly instance?: string | null | undefined;
}

export type ParsedLifecycle = Readonly<Record<"executor" | "instance", string | null>>;

export const NO_FUNCTIONS: ParsedLifecycle = { executor: null, instance: null };

const reference: Rule<string> = (value, path, problems) =>
  beforeRule([value], path, problems)[0] ?? "";
const optional = withDefault(nullable(reference), null);
const both = object<ParsedLifecycle>({ executor: optional, instance: optional });

/** Parses an object, or a single reference for each executor. */
export const lifecycleRule: Rule<ParsedLifecycle> = (value, path, problems) =>
  both(typeof value === "string" ? { executor: value } : value, path, problems);

// One difference between two contracts.

import type { Operation } from "../operations.js";
import type { Definitions } from "./forms.js";
import { RULES, type RuleName, type Severity } from "./rules.js";

export interface Change {
  readonly severity: Severity;
  readonly rule: RuleName;
  /** Plugin name; empty for a change of the whole service. */
  readonly plugin: string;
  /** Name of the parameter, `content` for the body, or `result`; null for the plugin as a whole. */
  readonly parameter: string | null;
  /**
   * Path of the difference below the parameter, such as `at.x`; empty for the parameter as a whole.
   */
  readonly path: string;
  /** The previous value as short text; null if there is none, or if it would not help. */
  readonly before: string | null;
  readonly after: string | null;
  /** The whole change as one sentence, starting with the plugin and the path. */
  readonly message: string;
}

/** One of the two plugins being compared. */
export interface Side {
  readonly operation: Operation;
  readonly definitions: Definitions;
}

/** The subject of a change. */
export interface Subject {
  readonly plugin: string;
  readonly parameter: string | null;
  /** Path below the parameter. */
  readonly path?: string;
}

export function makeChange(
  rule: RuleName,
  { plugin, parameter, path = "" }: Subject,
  before: string | null = null,
  after: string | null = null,
): Change {
  const { severity, predicate } = RULES[rule];
  const fullPath = (parameter ?? "") + path;
  const subject = [plugin === "" ? "the service" : plugin, fullPath].filter((text) => text !== "");
  const texts = changedTexts({ before, after });
  const message = `${subject.join(": ")} ${predicate}${texts === "" ? "" : `: ${texts}`}`;
  return { severity, rule, plugin, parameter, path: fullPath, before, after, message };
}

/** Text such as `integer -> string`; empty if there are no values to show. */
export function changedTexts({ before, after }: Pick<Change, "before" | "after">): string {
  return before === null && after === null ? "" : `${before ?? "none"} -> ${after ?? "none"}`;
}

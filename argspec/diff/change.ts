// One difference between two contracts, as the report holds it.

import type { Operation } from "../operations.js";
import type { Definitions } from "./forms.js";
import { RULES, type RuleName, type Severity } from "./rules.js";

export interface Change {
  readonly severity: Severity;
  readonly rule: RuleName;
  /** Empty where it concerns the service as a whole. */
  readonly plugin: string;
  /** A parameter, `content` for the body, `result`; null for the plugin itself. */
  readonly parameter: string | null;
  /** Where it is different, from the parameter on: `at.x`; empty for the plugin itself. */
  readonly path: string;
  /** The former value as short text; null where there is none or no text would help. */
  readonly before: string | null;
  readonly after: string | null;
  /** All of this as one sentence, which begins with plugin and path. */
  readonly message: string;
}

/** One of the two plugins that are compared. */
export interface Side {
  readonly operation: Operation;
  readonly definitions: Definitions;
}

/** The subject of a change. */
export interface Subject {
  readonly plugin: string;
  readonly parameter: string | null;
  /** Behind the parameter. */
  readonly path?: string;
}

export function makeChange(
  rule: RuleName,
  { plugin, parameter, path = "" }: Subject,
  before: string | null = null,
  after: string | null = null,
): Change {
  const { severity, says } = RULES[rule];
  const place = (parameter ?? "") + path;
  const subject = [plugin === "" ? "the service" : plugin, place].filter((text) => text !== "");
  const texts = changedTexts({ before, after });
  const message = `${subject.join(": ")} ${says}${texts === "" ? "" : `: ${texts}`}`;
  return { severity, rule, plugin, parameter, path: place, before, after, message };
}

/** `integer -> string`; empty where there are no texts. */
export function changedTexts({ before, after }: Pick<Change, "before" | "after">): string {
  return before === null && after === null ? "" : `${before ?? "none"} -> ${after ?? "none"}`;
}

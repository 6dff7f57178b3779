// Compares two argspecs from the view of a client that was generated from the first one and calls
// the second. Breaking changes come first. Only what clients can call counts: replacing a plugin by
// a pair of processors is no change. RULES.md lists the rules.

import { isDeepStrictEqual } from "node:util";
import type { Argspec, ArgspecService, PluginRole } from "../argspec.js";
import { listOperations, type Operation } from "../operations.js";
import { type Change, makeChange, type Side } from "./change.js";
import { compareErrors } from "./compare-errors.js";
import { compareParameters } from "./compare-parameters.js";
import { compareResults } from "./compare-results.js";
import type { RuleName, Severity } from "./rules.js";
import { valueText } from "./type-text.js";

const ROLES: readonly PluginRole[] = ["engine", "pre", "post"];
const ORDER: Readonly<Record<Severity, number>> = { breaking: 0, compatible: 1, docs: 2 };

/**
 * Compares two contracts, both returned by `readArgspec`.
 * @returns sorted by severity, then by plugin; changes of the whole service come first
 */
export function diffArgspecs(before: Argspec, after: Argspec): readonly Change[] {
  const [former, present] = [before, after].map(byName);
  const names = [...new Set([...former!.keys(), ...present!.keys()])].sort();
  const changes = names.flatMap((name) => {
    const [from, to] = [former!.get(name), present!.get(name)];
    const plugin = { plugin: name, parameter: null };
    if (from === undefined) return [makeChange("plugin-added", plugin)];
    return to === undefined ? [makeChange("plugin-removed", plugin)] : comparePlugins(from, to);
  });
  const all = [...compareServices(before.service, after.service), ...changes];
  return all.sort((a, b) => ORDER[a.severity] - ORDER[b.severity]);
}

interface Plugin extends Side {
  /** Such as `pre, post`. */
  readonly roles: string;
}

function byName(argspec: Argspec): ReadonlyMap<string, Plugin> {
  const roles = new Map<string, Set<PluginRole>>();
  for (const { name, role } of argspec.plugins) {
    roles.set(name, new Set(roles.get(name)).add(role));
  }
  return new Map(
    listOperations(argspec).map((operation) => {
      const ownRoles = ROLES.filter((role) => roles.get(operation.name)!.has(role));
      return [
        operation.name,
        { operation, definitions: argspec.$defs, roles: ownRoles.join(", ") },
      ];
    }),
  );
}

function compareServices(before: ArgspecService, after: ArgspecService): Change[] {
  const service = { plugin: "", parameter: null };
  const changes: Change[] = [];
  if (before.prefix !== after.prefix) {
    const rule = before.prefix === null ? "prefix-added" : "prefix-removed";
    changes.push(makeChange(rule, service, nameText(before.prefix), nameText(after.prefix)));
  }
  if (before.name !== after.name) {
    changes.push(
      makeChange("service-renamed", service, nameText(before.name), nameText(after.name)),
    );
  }
  return changes;
}

function comparePlugins(before: Plugin, after: Plugin): readonly Change[] {
  const [from, to] = [before.operation, after.operation];
  const changes: Change[] = [];
  const report = (rule: RuleName, was: string | null = null, is: string | null = null) =>
    changes.push(makeChange(rule, { plugin: to.name, parameter: null }, was, is));
  if (before.roles !== after.roles) report("plugin-roles", before.roles, after.roles);
  if (from.readonly !== to.readonly)
    report(to.readonly ? "plugin-readonly" : "plugin-not-readonly");
  changes.push(...compareParameters(before, after), ...compareResults(before, after));
  if (from.graph !== to.graph) report("plugin-graph", nameText(from.graph), nameText(to.graph));
  if (from.deprecated !== to.deprecated) {
    report(to.deprecated ? "plugin-deprecated" : "plugin-restored");
  }
  changes.push(...compareErrors(before, after));
  if (!isDeepStrictEqual(textsOf(from), textsOf(to))) report("plugin-text");
  return changes;
}

/** These names can contain any character. */
function nameText(name: string | null): string | null {
  return name === null ? null : valueText(name);
}

function textsOf(operation: Operation): unknown {
  const { summary, description, deprecation, returns, examples } = operation;
  return [summary, description, deprecation, returns, examples];
}

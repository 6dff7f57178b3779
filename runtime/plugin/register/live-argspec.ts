// The argspec of the plugins that are registered at a moment. Of one whole build it is that build's
// own, hash included; functions that were not built stand beside it with what is known of them.

import {
  ARGSPEC_VERSION,
  type Argspec,
  type JsonSchema,
  type PluginSpec,
} from "../../../argspec/argspec.js";
import { contractHash } from "../../../argspec/hash.js";
import { selectPlugins } from "../../../argspec/select.js";
import type { RegisteredPlugin } from "../contract/registered-plugin.js";

type Definitions = Argspec["$defs"];

const REFERENCE = "#/$defs/";
const ROLES = ["engine", "pre", "post"] as const;
const NO_SERVICE = { name: null, prefix: null };

/** The `service` is left open: those who answer know it. */
export function liveArgspec(registered: readonly RegisteredPlugin[]): Argspec {
  const $defs: Record<string, JsonSchema> = {};
  const plugins = [...new Set(registered.map((plugin) => plugin.$defs))].flatMap((own) => {
    const specs = registered.filter((plugin) => plugin.$defs === own).map(({ spec }) => spec);
    const names = newNames(own, $defs);
    Object.assign($defs, renamed(own, names));
    return names.size === 0 ? specs : specs.map((spec) => withReferences(spec, names));
  });
  plugins.sort(byNameAndRole);
  const whole = {
    argspec: ARGSPEC_VERSION,
    service: NO_SERVICE,
    hash: "",
    plugins,
    $defs: Object.fromEntries(Object.entries($defs).sort(([a], [b]) => (a < b ? -1 : 1))),
  } as const;
  const reached = selectPlugins(whole, () => true);
  return { ...reached, hash: contractHash(reached) };
}

/** As in the argspec of a build, like the order of types, so that the same has one hash. */
function byNameAndRole(a: PluginSpec, b: PluginSpec): number {
  return (
    Number(a.name > b.name) - Number(a.name < b.name) ||
    ROLES.indexOf(a.role) - ROLES.indexOf(b.role)
  );
}

/**
 * Names for the types of a build that other builds have names for. All of them get new ones as soon
 * as one means something else: what looks the same may refer to that one.
 */
function newNames(own: Definitions, taken: Definitions): ReadonlyMap<string, string> {
  const shared = Object.keys(own).filter((name) => Object.hasOwn(taken, name));
  if (shared.every((name) => JSON.stringify(own[name]) === JSON.stringify(taken[name]))) {
    return new Map();
  }
  return new Map(
    shared.map((name) => {
      let number = 2;
      while (Object.hasOwn(taken, name + number) || Object.hasOwn(own, name + number)) number++;
      return [name, name + number];
    }),
  );
}

function renamed(own: Definitions, names: ReadonlyMap<string, string>): Definitions {
  if (names.size === 0) return own;
  const entries = Object.entries(own).map(([name, schema]) => [names.get(name) ?? name, schema]);
  return withReferences(Object.fromEntries(entries), names);
}

/** A copy whose references go to the new names. */
function withReferences<T>(value: T, names: ReadonlyMap<string, string>): T {
  const follow = (key: string, part: unknown) => {
    const isReference = key === "$ref" && typeof part === "string" && part.startsWith(REFERENCE);
    const name = isReference ? names.get(part.slice(REFERENCE.length)) : undefined;
    return name === undefined ? part : REFERENCE + name;
  };
  return JSON.parse(JSON.stringify(value), follow);
}

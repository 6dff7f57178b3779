// The argspec of the currently registered plugins. If they are exactly those of one build, it
// equals the argspec of the build, including the hash. Functions registered without a build are
// described as far as possible.

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

/** The caller must set `service`. */
export function liveArgspec(registered: readonly RegisteredPlugin[]): Argspec {
  const $defs: Record<string, JsonSchema> = {};
  const plugins = [...new Set(registered.map((plugin) => plugin.$defs))].flatMap((definitions) => {
    const specs = registered
      .filter((plugin) => plugin.$defs === definitions)
      .map(({ spec }) => spec);
    const names = chooseNames(definitions, $defs);
    Object.assign($defs, renameTypes(definitions, names));
    return names.size === 0 ? specs : specs.map((spec) => withReferences(spec, names));
  });
  plugins.sort(byNameAndRole);
  const complete = {
    argspec: ARGSPEC_VERSION,
    service: NO_SERVICE,
    hash: "",
    plugins,
    $defs: Object.fromEntries(Object.entries($defs).sort(([a], [b]) => (a < b ? -1 : 1))),
  } as const;
  const reached = selectPlugins(complete, () => true);
  return { ...reached, hash: contractHash(reached) };
}

/** Compares in the order of a build's argspec, so that equal contracts have equal hashes. */
function byNameAndRole(a: PluginSpec, b: PluginSpec): number {
  return (
    Number(a.name > b.name) - Number(a.name < b.name) ||
    ROLES.indexOf(a.role) - ROLES.indexOf(b.role)
  );
}

/**
 * Returns new names for the types of a build whose names are taken by other builds. If one of these
 * types differs, all get new names, because types with equal text may refer to it.
 */
function chooseNames(definitions: Definitions, taken: Definitions): ReadonlyMap<string, string> {
  const shared = Object.keys(definitions).filter((name) => Object.hasOwn(taken, name));
  if (shared.every((name) => JSON.stringify(definitions[name]) === JSON.stringify(taken[name]))) {
    return new Map();
  }
  return new Map(
    shared.map((name) => {
      let number = 2;
      while (Object.hasOwn(taken, name + number) || Object.hasOwn(definitions, name + number))
        number++;
      return [name, name + number];
    }),
  );
}

function renameTypes(definitions: Definitions, names: ReadonlyMap<string, string>): Definitions {
  if (names.size === 0) return definitions;
  const entries = Object.entries(definitions).map(([name, schema]) => [
    names.get(name) ?? name,
    schema,
  ]);
  return withReferences(Object.fromEntries(entries), names);
}

/** Returns a copy with renamed references. */
function withReferences<T>(value: T, names: ReadonlyMap<string, string>): T {
  const rename = (key: string, part: unknown) => {
    const isReference = key === "$ref" && typeof part === "string" && part.startsWith(REFERENCE);
    const name = isReference ? names.get(part.slice(REFERENCE.length)) : undefined;
    return name === undefined ? part : REFERENCE + name;
  };
  return JSON.parse(JSON.stringify(value), rename);
}

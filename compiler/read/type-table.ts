// The last step of reading: assigns unique, readable names to types. Before, references consist of
// file and offset, so that a file can be read again without affecting others.

import { compareText } from "../compare-text.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { NamedTypeShape, TypeShape, TypeTable } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";
import { joinDirections } from "./type-directions.js";

export interface NamedPlugins {
  readonly plugins: PluginRecord[];
  readonly types: TypeTable;
}

/** Renames the references in `plugins`, and collects the types that they use. */
export function nameTypes(
  plugins: readonly PluginRecord[],
  named: ReadonlyMap<string, NamedShape>,
): NamedPlugins {
  const reachable = findReachableTypes(plugins, named);
  const joined = joinDirections(reachable);
  const distinct = reachable.filter(({ key }) => !joined.has(key));
  const names = uniqueNames(distinct);
  for (const [key, argumentKey] of joined) names.set(key, names.get(argumentKey)!);
  const rename = (shape: TypeShape) => renameRefs(shape, names);
  const entries = distinct.map((type): [string, NamedTypeShape] => {
    const { key, shape, description, deprecated } = type;
    const texts = { ...(description !== "" && { description }), ...(deprecated && { deprecated }) };
    return [names.get(key)!, { ...rename(shape), ...texts }];
  });
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    plugins: plugins.map((plugin) => renamePlugin(plugin, rename)),
    types: Object.fromEntries(entries),
  };
}

/** Returns the types that plugins use, directly or indirectly. */
export function findReachableTypes(
  plugins: readonly PluginRecord[],
  named: ReadonlyMap<string, NamedShape>,
): NamedShape[] {
  const reached = new Map<string, NamedShape>();
  const visit = (shape: TypeShape): void => {
    if (shape.kind === "ref" && !reached.has(shape.name)) {
      const type = named.get(shape.name)!;
      reached.set(shape.name, type);
      visit(type.shape);
    } else {
      mapParts(shape, (part) => {
        visit(part);
        return part;
      });
    }
  };
  for (const plugin of plugins) {
    for (const param of plugin.params) if (param.shape) visit(param.shape);
    if (plugin.result.shape) visit(plugin.result.shape);
    for (const { details } of plugin.throws) if (details) visit(details);
  }
  return [...reached.values()];
}

/** Names used by generated declarations, which no type of the project can have. */
const RESERVED = [
  ...["HttpResponse", "PluginEntry", "PluginRegistry", "PluginResponse", "Record", "Uint8Array"],
];

/** Assigns names. Types of the same name are numbered by file and position: `Point`, `Point_2`. */
function uniqueNames(types: readonly NamedShape[]): Map<string, string> {
  const inOrder = [...types].sort(
    (a, b) => compareText(a.file, b.file) || a.offset - b.offset || compareText(a.key, b.key),
  );
  const names = new Map<string, string>();
  const usedNames = new Set<string>(RESERVED);
  const bases = new Set(types.map((type) => type.base));
  for (const { key, base } of inOrder) {
    let name = base;
    for (let n = 2; usedNames.has(name); n++) {
      const numbered = `${base}_${n}`;
      if (!bases.has(numbered)) name = numbered;
    }
    usedNames.add(name);
    names.set(key, name);
  }
  return names;
}

function renamePlugin(plugin: PluginRecord, rename: (shape: TypeShape) => TypeShape): PluginRecord {
  return {
    ...plugin,
    params: plugin.params.map((param) =>
      param.kind === "user"
        ? { ...param, shape: rename(param.shape) }
        : { ...param, shape: param.shape && rename(param.shape) },
    ),
    result: { ...plugin.result, shape: plugin.result.shape && rename(plugin.result.shape) },
    throws: plugin.throws.map((thrown) =>
      thrown.details ? { ...thrown, details: rename(thrown.details) } : thrown,
    ),
  };
}

function renameRefs(shape: TypeShape, names: ReadonlyMap<string, string>): TypeShape {
  if (shape.kind === "ref") return { kind: "ref", name: names.get(shape.name)! };
  return mapParts(shape, (part) => renameRefs(part, names));
}

/** Returns the shape with its direct parts replaced; unchanged if it has none. */
function mapParts(shape: TypeShape, map: (part: TypeShape) => TypeShape): TypeShape {
  switch (shape.kind) {
    case "array":
      return { ...shape, items: map(shape.items) };
    case "tuple":
      return { ...shape, items: shape.items.map(map), rest: shape.rest && map(shape.rest) };
    case "limited":
      return { ...shape, base: map(shape.base) };
    case "union":
      return { kind: "union", members: shape.members.map(map) };
    case "object":
      return {
        ...shape,
        properties: shape.properties.map((part) => ({ ...part, shape: map(part.shape) })),
        additional: shape.additional && map(shape.additional),
      };
    default:
      return shape;
  }
}

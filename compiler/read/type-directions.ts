// Joins the shapes of named types. The reader reads each type once for arguments and once for
// results, because their JSON can differ: a class has `fromJSON` for the former, `toJSON` for the
// latter. If the shapes do not differ, one is enough.

import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";

/** Suffix of the keys of types that are read for results. */
export const OUTPUT = "#output";

/** Maps the keys of result types to the keys of equal argument types. */
export function joinDirections(types: readonly NamedShape[]): ReadonlyMap<string, string> {
  const byKey = new Map(types.map((type) => [type.key, type]));
  const results = types.filter(({ key }) => key.endsWith(OUTPUT));
  const pairs = results.flatMap((output) => {
    const input = byKey.get(argumentKey(output.key));
    return input === undefined ? [] : [{ input, output }];
  });
  const different = new Set(
    pairs
      .filter((pair) => canonicalText(pair.input) !== canonicalText(pair.output))
      .map(({ output }) => output.key),
  );
  if (different.size > 0)
    addReferringTypes(
      different,
      pairs.map(({ output }) => output),
    );
  const same = pairs.filter(({ output }) => !different.has(output.key));
  return new Map(same.map(({ input, output }) => [output.key, input.key]));
}

/** Adds all types that refer to a different type, directly or indirectly. */
function addReferringTypes(different: Set<string>, types: readonly NamedShape[]): void {
  const references = types.map(({ key, shape }) => ({ key, to: listReferences(shape) }));
  for (let count = -1; count !== different.size; ) {
    count = different.size;
    for (const { key, to } of references)
      if (to.some((reference) => different.has(reference))) different.add(key);
  }
}

function argumentKey(key: string): string {
  return key.endsWith(OUTPUT) ? key.slice(0, -OUTPUT.length) : key;
}

function canonicalText({ shape }: NamedShape): string {
  return JSON.stringify(shape, (_, value: unknown) =>
    typeof value === "string" ? argumentKey(value) : value,
  );
}

/** Returns the keys of the types that a shape refers to directly. */
function listReferences(shape: TypeShape): string[] {
  const parts = listShapeParts(shape, (name) => ({ kind: "ref", name }));
  return parts.flatMap((part) => (part.kind === "ref" ? [part.name] : []));
}

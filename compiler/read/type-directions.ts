// Named types are read once for arguments and once for results, because their forms in JSON can
// differ: a class has `fromJSON` for the former, `toJSON` for the latter. Most do not differ.

import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";

/** End of the key of a type that is read for results. */
export const OUTPUT = "#output";

/** Returns the keys of types that have the same form in arguments, with the keys of those. */
export function joinDirections(types: readonly NamedShape[]): ReadonlyMap<string, string> {
  const byKey = new Map(types.map((type) => [type.key, type]));
  const results = types.filter(({ key }) => key.endsWith(OUTPUT));
  const pairs = results.flatMap((output) => {
    const input = byKey.get(argumentKey(output.key));
    return input === undefined ? [] : [{ input, output }];
  });
  const different = new Set(
    pairs
      .filter((one) => formText(one.input) !== formText(one.output))
      .map(({ output }) => output.key),
  );
  if (different.size > 0)
    addReferring(
      different,
      pairs.map(({ output }) => output),
    );
  const same = pairs.filter(({ output }) => !different.has(output.key));
  return new Map(same.map(({ input, output }) => [output.key, input.key]));
}

/** A type that refers to one that differs does so too. */
function addReferring(different: Set<string>, types: readonly NamedShape[]): void {
  const references = types.map(({ key, shape }) => ({ key, to: refsOf(shape) }));
  for (let count = -1; count !== different.size; ) {
    count = different.size;
    for (const { key, to } of references)
      if (to.some((one) => different.has(one))) different.add(key);
  }
}

function argumentKey(key: string): string {
  return key.endsWith(OUTPUT) ? key.slice(0, -OUTPUT.length) : key;
}

function formText({ shape }: NamedShape): string {
  return JSON.stringify(shape, (_, value: unknown) =>
    typeof value === "string" ? argumentKey(value) : value,
  );
}

/** Returns the keys of the types that a shape names itself. */
function refsOf(shape: TypeShape): string[] {
  const parts = listShapeParts(shape, (name) => ({ kind: "ref", name }));
  return parts.flatMap((part) => (part.kind === "ref" ? [part.name] : []));
}

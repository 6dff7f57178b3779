// Collects the descriptions and deprecations inside a type with their positions, to detect changes
// of text in types with equal values.

import type { JsonSchema } from "../argspec.js";
import type { Type } from "./incompatibility.js";

/** Text such as `[[".x", "degrees east"]]`. */
export function schemaTexts({ schema, definitions }: Type): string {
  const texts: [path: string, text: string][] = [];
  const seen = new Set<string>();
  const rest: [path: string, part: unknown][] = [["", schema]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [path, part] = next;
    if (typeof part !== "object" || part === null) continue;
    const { description, deprecated, properties = {}, $ref, ...others } = part as JsonSchema;
    if (typeof description === "string" && description !== "") texts.push([path, description]);
    if (deprecated === true) texts.push([path, "@deprecated"]);
    const name = typeof $ref === "string" ? $ref.replace("#/$defs/", "") : "";
    if (Object.hasOwn(definitions, name) && !seen.has(name)) {
      seen.add(name);
      rest.push([path, definitions[name]]);
    }
    for (const [key, inner] of Object.entries(properties as JsonSchema)) {
      rest.push([`${path}.${key}`, inner]);
    }
    for (const word of ["anyOf", "items", "prefixItems", "additionalProperties"]) {
      for (const inner of [others[word]].flat()) rest.push([`${path}[]`, inner]);
    }
  }
  return JSON.stringify(texts.sort());
}

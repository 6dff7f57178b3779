// Hash of a contract. It covers only what clients depend on: rewording a description or moving a
// function does not change it.

import { createHash } from "node:crypto";
import type { Argspec, ParamSpec, PluginSpec } from "./argspec.js";

/** 64 hexadecimal digits, a SHA-256. */
export function contractHash({ plugins, $defs }: Pick<Argspec, "plugins" | "$defs">): string {
  const contract = {
    plugins: plugins.map(pluginContract),
    $defs: Object.entries($defs).map(([name, schema]) => [name, withoutTexts(schema)]),
  };
  return createHash("sha256").update(JSON.stringify(contract)).digest("hex");
}

function pluginContract(plugin: PluginSpec): unknown {
  const { name, path, role, readonly, params, open, result, forwards, errors } = plugin;
  const input = [params.map(paramContract), open === true];
  // Clients know other errors only from responses.
  const kinds = errors.flatMap(({ exception, status, details }) =>
    status === undefined ? [] : [[exception, status, withoutTexts(details ?? null)]],
  );
  // Clients retry calls that are safe to repeat, and know the result of forwarded requests.
  const answered = [withoutTexts(result), forwards ?? [], ...(kinds.length > 0 ? [kinds] : [])];
  return [name, path, role, readonly, ...input, ...answered];
}

function paramContract({ name, in: location, wire, required, default: value, schema }: ParamSpec) {
  return [name, location, wire, required, value ?? null, withoutTexts(schema)];
}

/** Schema keywords that only describe. */
const TEXTS: Readonly<Record<string, string>> = { description: "string", deprecated: "boolean" };

/** A property can have such a name, but then its value is an object. */
function withoutTexts(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(withoutTexts);
  const kept = Object.entries(part).filter(
    ([key, value]) => !Object.hasOwn(TEXTS, key) || typeof value !== TEXTS[key],
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutTexts(value)]));
}

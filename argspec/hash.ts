// Hash of a contract. It covers what clients depend on and nothing else: rewording a description or
// moving a function does not change it.

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
  // Clients know other errors only by what the server sends.
  const kinds = errors.flatMap(({ exception, status, details }) =>
    status === undefined ? [] : [[exception, status, withoutTexts(details ?? null)]],
  );
  // Clients repeat what is safe to repeat, and know what a forwarded request is answered.
  const answered = [withoutTexts(result), forwards ?? [], ...(kinds.length > 0 ? [kinds] : [])];
  return [name, path, role, readonly, ...input, ...answered];
}

function paramContract({ name, in: place, wire, required, default: value, schema }: ParamSpec) {
  return [name, place, wire, required, value ?? null, withoutTexts(schema)];
}

/** Words of a schema that clients read only. */
const TEXTS: Readonly<Record<string, string>> = { description: "string", deprecated: "boolean" };

/** Properties may be called so too, but those are objects. */
function withoutTexts(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(withoutTexts);
  const kept = Object.entries(part).filter(
    ([key, value]) => !Object.hasOwn(TEXTS, key) || typeof value !== TEXTS[key],
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutTexts(value)]));
}

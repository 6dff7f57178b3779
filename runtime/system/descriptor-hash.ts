// The hash by which the instances of a system compare their descriptors.

import { createHash } from "node:crypto";

/** Returns a hash of a descriptor, independent of key order. */
export function descriptorHash(descriptor: object): string {
  return createHash("sha256").update(canonicalize(descriptor)).digest("hex").slice(0, 16);
}

function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalize(item)}`).join()}}`;
}

// Kinds of bodies by media type: text, JSON, or other bytes. Media types are in lower case and
// without parameters; `image/*` means all images.

export function isJsonMediaType(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

const TEXTS = new Set(
  "application/javascript application/xml application/x-ndjson application/yaml".split(" "),
);

/** Returns whether the body is text that is not JSON. */
export function isTextMediaType(type: string): boolean {
  return type.startsWith("text/") || TEXTS.has(type) || type.endsWith("+xml");
}

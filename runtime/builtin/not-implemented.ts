// Paths of the interface that this server knows of and cannot serve yet: answered with 501, so that
// a caller can tell them from a misspelt one.

const SYSTEM_PLUGINS = ["system_counts", "system_descriptor", "system_overview", "system_rates"];

export const notImplemented: ReadonlySet<string> = new Set(
  SYSTEM_PLUGINS.map((name) => `/svc/builtin/${name}`),
);

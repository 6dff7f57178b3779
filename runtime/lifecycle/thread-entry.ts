// Where the worker threads' entry files are. The package is bundled into `dist/` with shared chunks
// beside the entries, so the path is relative to this module's own chunk.

export function threadEntry(thread: "io" | "executor" | "admin"): URL {
  return new URL(`./threads/${thread}.js`, import.meta.url);
}

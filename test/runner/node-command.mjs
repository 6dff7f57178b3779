// How tests start node. Under a dynamic loader `process.execPath` is the loader, so that tests
// which start another node use this module.

import { fileURLToPath } from "node:url";

const PRELOADED = fileURLToPath(new URL("compiled-code.cjs", import.meta.url));

/**
 * Arguments of servers, which then begin with V8's code of the build, as Node.js 22 does without
 * help. They end before a smaller heap pays for its garbage collection.
 */
export const COMPILED_CODE = process.versions.node.startsWith("20.")
  ? ["--no-memory-reducer", "--expose-internals", "--require", PRELOADED]
  : [];

/** The program and its first arguments; the script and its arguments follow. */
export function nodeCommand() {
  const words = process.env.SVC_NODE_COMMAND;
  return words === undefined ? [process.execPath] : JSON.parse(words);
}

/**
 * Node without a loader, for processes that do not serve: `svc build` starts processes of its own.
 */
export function plainNode() {
  return nodeCommand().at(-1);
}

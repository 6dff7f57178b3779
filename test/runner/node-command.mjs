// How tests start node. Under a dynamic loader `process.execPath` is the loader, so that tests
// which start another node use this module.

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

// How tests start node. Under a dynamic loader of its own `process.execPath` names the loader, so
// whatever starts another node asks here.

/** The program and its first arguments; the script and its arguments follow. */
export function nodeCommand() {
  const words = process.env.SVC_NODE_COMMAND;
  return words === undefined ? [process.execPath] : JSON.parse(words);
}

/** Node without a loader, for what does not serve: `svc build` starts processes of its own. */
export function plainNode() {
  return nodeCommand().at(-1);
}

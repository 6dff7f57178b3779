// How the tests start node. Under a dynamic loader `process.execPath` names the loader, so every
// test that starts another process asks here.

/** Program and first arguments that start this node again. */
export function nodeCommand() {
  const words = process.env.SVC_NODE_COMMAND;
  return words === undefined ? [process.execPath] : JSON.parse(words);
}

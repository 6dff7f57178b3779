// Opens a stored graph in this process. Its data folder must not be in use by a server, because a
// data folder can have only one writer.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { LOG_FOLDER } from "../../runtime/base/graph-names.js";
import { Graph, system } from "../../runtime/index.js";
import { realDisk } from "../../runtime/interconnect/log/disk.js";
import { LogCatalog } from "../../runtime/interconnect/log/log-catalog.js";
import { readLog } from "../../runtime/interconnect/log/segments.js";

/**
 * Opens a graph for a function; creates it if missing.
 * @param mustExist if true, a missing graph is an error
 * @throws SvcError SVC3060 if the name is missing or there is no such graph; errors of opening it
 */
export async function withGraph(
  name: string | null,
  root: string,
  mustExist: boolean,
  run: (graph: Graph) => Promise<void>,
): Promise<void> {
  if (name === null) throw new SvcError("SVC3060", "graph name missing: pass --graph");
  const folder = resolve(root);
  if (mustExist && !existsSync(join(folder, name)) && !isLogged(folder, name)) {
    throw new SvcError("SVC3060", `graph "${name}" not found in ${folder}`);
  }
  await system.initialize("svc graph", { root: folder });
  try {
    const graph = new Graph(name);
    await run(graph);
    graph.close();
  } finally {
    await system.unload();
  }
}

/** Returns whether the transaction log has a graph, which may not have been saved yet. */
function isLogged(root: string, name: string): boolean {
  const catalog = new LogCatalog();
  readLog(realDisk, join(root, LOG_FOLDER), (frame) => catalog.readFrame(frame, () => undefined));
  return catalog.byName(name) !== undefined;
}

// A process that is one instance of a matrix in library mode, controlled by its parent over IPC.
// Bundled by `matrix.ts`, which starts it.

import type * as Library from "svc-server";
import { addEngines, addProcessors } from "./matrix-plugins.js";
import { addTable, type TableRole } from "./table-plugins.js";

export interface NodeSettings {
  readonly port: number;
  /** Data folder of its own. */
  readonly root: string;
  /** File in which executed writes are recorded. */
  readonly journal: string;
  readonly dispatcher: object | null;
  readonly prefix: string | null;
  readonly servicein: boolean;
  readonly explain: "anyone" | "trusted" | "off";
  /** A dispatcher gets the processors of `matrix-plugins.ts`. */
  readonly processors: boolean;
  /** Role of the request table's plugins; null for those of `matrix-plugins.ts`. */
  readonly table: { readonly folder: string; readonly role: TableRole } | null;
}

/** Documents for a graph, which get an index of their titles. */
export interface GraphContent {
  readonly name: string;
  readonly type: string;
  readonly documents: readonly GraphDocument[];
  /** Ids along arcs of the relationship "leads". */
  readonly ways: readonly (readonly string[])[];
}

/** Vertices have all members but these as properties. */
interface GraphDocument {
  readonly id: string;
  readonly vector: readonly number[] | null;
  readonly [property: string]: string | number | readonly number[] | null;
}

export interface Order {
  readonly id: number;
  readonly op: keyof typeof orders;
  readonly value: unknown;
}

export interface Report {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

const [, , library] = process.argv;
let svc: typeof Library;

const orders = {
  async start(settings: NodeSettings): Promise<number> {
    const { port, root, dispatcher, prefix, servicein, explain } = settings;
    const { processors, table, journal } = settings;
    svc = (await import(library!)) as typeof Library;
    await svc.system.initialize(dispatcher === null ? "engine" : "dispatcher", { root });
    if (table !== null) await addTable(svc, table.folder, table.role, root);
    else if (dispatcher === null) addEngines(svc, journal);
    else if (processors) addProcessors(svc);
    const options = { ip: "127.0.0.1", dispatcher, prefix, servicein, explain };
    await svc.system.startHTTP(port, options);
    return svc.system.serverPorts().base;
  },
  load({ name, type, documents, ways }: GraphContent): void {
    const graph = new svc.Graph(name);
    for (const { id, vector = null, ...properties } of documents) {
      graph.createVertex(id, { type, properties, ...(vector !== null && { vector }) });
      graph.connect("root", "has", id);
    }
    for (const way of ways) {
      for (const [index, id] of way.slice(1).entries()) graph.connect(way[index]!, "leads", id);
    }
    graph.index("text", { name: "titles", keys: ["title"] });
  },
  serviceIn: (on: boolean) => svc.system.serviceInHTTP(on),
  restart: () => svc.system.restartHTTP(),
  stop: () => svc.system.stopHTTP(),
  dispatcherConfig: () => svc.system.dispatcherConfig(),
};

process.on("disconnect", () => process.exit());
process.on("message", ({ id, op, value }: Order) => {
  const order = orders[op] as (value: unknown) => unknown;
  Promise.resolve()
    .then(() => order(value))
    .then((result) => report({ id, value: result }))
    .catch((error: Error) => report({ id, error: String(error.stack) }));
});

function report(message: Report): void {
  process.send!(message);
}

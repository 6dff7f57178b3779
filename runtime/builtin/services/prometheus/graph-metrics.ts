// Metrics of graphs: contents, memory, and age of their snapshots.

import { pendingOperations, savedAtSeconds } from "../../../graph/api/status/graph-status.js";
import { memoryUsage, pooledBytes } from "../../../graph/api/status/memory-usage.js";
import { counter, gauge, type Sample, singleSample } from "../../../metrics/exposition.js";
import type { ServerView } from "../../server-view.js";
import { newestDumpSeconds } from "./newest-dump.js";

export function* graphMetrics(view: ServerView): Generator<string> {
  const graphs = view.graphs().map(({ store }) => store);
  const unsaved = new Set(view.unsaved());
  const isRefusing = view.traffic().group?.role === "readonly";
  const samples = (figure: (store: (typeof graphs)[number]) => number): Sample[] =>
    graphs.map((store) => [{ graph: store.name }, figure(store)]);
  const bytes = samples((store) => pooledBytes(memoryUsage(store)));
  yield* gauge(
    "svc_graph_vertices",
    "Vertices of a graph.",
    samples(({ order }) => order),
  );
  yield* gauge(
    "svc_graph_arcs",
    "Arcs of a graph.",
    samples(({ size }) => size),
  );
  yield* gauge(
    "svc_graph_properties",
    "Properties of a graph.",
    samples(({ propertyCount }) => propertyCount),
  );
  yield* gauge("svc_graph_memory_bytes", "Shared memory that a graph uses.", bytes);
  yield* counter(
    "svc_graph_operations_total",
    "Total operations applied to a graph.",
    samples(({ operationCount }) => operationCount),
  );
  yield* gauge(
    "svc_graph_unsaved",
    "Whether the last save of a graph failed (1).",
    samples(({ name }) => (unsaved.has(name) ? 1 : 0)),
  );
  yield* gauge(
    "svc_graphs_unloadable",
    "Graphs that failed to open.",
    singleSample(view.unloadable().length),
  );
  yield* gauge(
    "svc_graph_readonly",
    "Whether a graph accepts no changes (1).",
    samples(({ isReadonly }) => (isReadonly || isRefusing ? 1 : 0)),
  );
  yield* gauge(
    "svc_graph_saved_timestamp_seconds",
    "Time of the last save of a graph since 1970; 0: never.",
    samples((store) => savedAtSeconds(store)),
  );
  yield* gauge(
    "svc_graph_pending_operations",
    "Operations since the last save of a graph.",
    samples((store) => pendingOperations(store)),
  );
  yield* gauge(
    "svc_dump_timestamp_seconds",
    "Time of the last change of the newest dump since 1970.",
    newestDump(view.root),
  );
}

function newestDump(root: string): readonly Sample[] {
  const seconds = newestDumpSeconds(root);
  return seconds === null ? [] : singleSample(seconds);
}

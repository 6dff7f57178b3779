// Paths of the interface that this server knows of and cannot serve yet: answered with 501, so that
// a caller can tell them from a misspelt one.

const GRAPH_SERVICES = ["graphsum", "objcnt", "peerstat", "txstat"];

const GRAPH_PLUGINS = [
  "arcs",
  "connect",
  "createvertex",
  "deletevertex",
  "disconnect",
  "evaluate",
  "eventbacklog",
  "graphinfo",
  "memory",
  "neighbor",
  "properties",
  "status",
  "vertex",
  "vertices",
];

const MATRIX_PLUGINS = ["Identify", "MatrixObjects", "matrixplugins"];

const SYSTEM_PLUGINS = ["system_counts", "system_descriptor", "system_overview", "system_rates"];

/** Comes with the web console. */
const SCRIPTS = ["/jquery.js"];

export const notImplemented: ReadonlySet<string> = new Set([
  ...SCRIPTS,
  ...GRAPH_SERVICES.map((name) => `/svc/${name}`),
  ...[...GRAPH_PLUGINS, ...MATRIX_PLUGINS, ...SYSTEM_PLUGINS].map((name) => `/svc/builtin/${name}`),
]);

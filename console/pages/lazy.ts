// Pages that the first view of the console does not need: one file, loaded after it.

export { Administration as admin } from "./admin.js";
export { GraphPage as search } from "./graph.js";
export { Jobs as jobs } from "./jobs.js";
export { Logs as logs } from "./logs.js";
export { Matrix as matrix } from "./matrix.js";
export { Metrics as status } from "./metrics.js";
export { Plugins as plugin } from "./plugins.js";
export { Replication as replication } from "./replication.js";
export { Requests as requests } from "./requests.js";
export { SearchPage as text } from "./search.js";

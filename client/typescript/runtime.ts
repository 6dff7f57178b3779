// The runtime of every generated client and entry of its `runtime.js`. It imports nothing from
// outside this folder, and runs in Node.js, browsers and workers.

export { Connection } from "./connection.js";
export type { Operation } from "./operation.js";
export type {
  CallDefaults,
  CallOptions,
  ClientOptions,
  Envelope,
  Fetch,
  FetchInit,
  FetchReader,
  FetchResponse,
  HttpHeaders,
  HttpResponse,
  PluginResponse,
  Token,
} from "./options.js";
export { type BackEndLevel, type ErrorKind, SvcError, type SvcErrorDetails } from "./svc-error.js";

// Options and results of a client. Part of the published declarations of every generated client:
// plain interfaces, nothing of Node.js or the DOM but AbortSignal.

/** Options of one call, of a client, or of a client made by `with`. */
export interface CallDefaults {
  /** Of the whole call in milliseconds, retries included; 0: none. Default 30000. */
  timeoutMs?: number | undefined;
  /** Calls only this partition of a dispatcher, at its primary replica (X-SVC-Partial-Target). */
  partial?: number | undefined;
  /** Header lines in addition to the client's. */
  headers?: Record<string, string> | undefined;
  /** How often a request is sent again at most. Default 2. */
  retries?: number | undefined;
  /** May be sent again although the server may have executed it. */
  idempotent?: boolean | undefined;
}

/** Options of one call: those left out or undefined are the client's. */
export interface CallOptions extends CallDefaults {
  /** Ends the call with an error of kind `aborted`. */
  signal?: AbortSignal | undefined;
}

export interface ClientOptions extends CallDefaults {
  /** Where the service is: `http://127.0.0.1:9000`. In pages, "" is where the page came from. */
  baseUrl: string;
  /**
   * Bearer token, or a function that fetches one. A call is repeated once with another token of the
   * function if the server rejects the first one, which the function then gets.
   */
  token?: Token | undefined;
  /** Sends one request until its `signal` ends it; by default the global one. */
  fetch?: Fetch | undefined;
  /** Called once if the server's argspec differs; default: `console.warn`. */
  warn?: ((message: string) => void) | undefined;
}

/** A token, or a function that fetches one; `rejected` is the token that the server rejected. */
export type Token = string | ((rejected: string | undefined) => string | Promise<string>);

/** Of the global `fetch`, what a client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | ArrayBuffer;
  signal: AbortSignal;
  /** Never followed: no header or body goes elsewhere. `manual` where the response may be one. */
  redirect: "error" | "manual";
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: { getReader(): FetchReader } | null;
}

export interface FetchReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Header fields by their names, in any case. */
export interface HttpHeaders {
  get(name: string): string | null;
  /** Present in Node.js; pages cannot read cookies. */
  getSetCookie?(): string[];
}

/** A response without an envelope. Its body is read once, by one of the methods. */
export interface HttpResponse<M extends string = string> {
  /** 200 to 399; others are errors. */
  readonly status: number;
  /** Media type in lower case, without parameters; empty without a body. */
  readonly type: M;
  readonly headers: HttpHeaders;
  bytes(): Promise<Uint8Array>;
  blob(): Promise<Blob>;
  text(): Promise<string>;
  /** Chunks as they arrive; leaving the loop closes the connection. */
  stream(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Closes the connection of a response whose body is not read. */
  cancel(): void;
}

/** A response without an envelope, or the value of an envelope. */
export type HttpResult =
  | { readonly response: HttpResponse }
  | { readonly response: null; readonly value: unknown };

/** The whole response to a call (http-interface, "Response envelope"). */
export interface Envelope<T> {
  status: "OK";
  response: T;
  /** The port, and 1 on the admin port, else 0. */
  port?: [number, number];
  exec_id?: number;
  /** Levels of dispatchers below the instance that answered. */
  level: number;
  /** `[partitions, failed, instances at all levels]`; null without a matrix. */
  partitions: [number, number, number] | null;
  exec_ms: number;
  /** Present if the request has `X-SVC-Explain: 1`. */
  explain?: unknown;
}

/** Items by their keys, merged from all partitions (plugin-api, "PluginResponse"). */
export interface PluginResponse<K, T> {
  level: number;
  levelparts: number;
  partials: number;
  hitcount: number;
  /** Two integers, then two floats. */
  aggregator: [number, number, number, number];
  /** Set by the plugin, for people who inspect the response. */
  message?: string;
  meta: unknown;
  entries: [K, T][];
}

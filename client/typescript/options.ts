// Options and results of a client. Part of the published declarations of every generated client:
// plain interfaces that use nothing of Node.js or the DOM except AbortSignal.

/** Options of one call, of a client, or of a client made by `with`. */
export interface CallDefaults {
  /** Time limit of the whole call in milliseconds, including retries; 0: none. Default 30000. */
  timeoutMs?: number | undefined;
  /** Calls only this partition of a dispatcher, on its primary replica (X-SVC-Partial-Target). */
  partial?: number | undefined;
  /** Calls only the partition that owns this key, in a system with slots (X-SVC-Key). */
  key?: string | undefined;
  /** Header fields added to those of the client. */
  headers?: Record<string, string> | undefined;
  /** Maximum number of retries of a request. Default 2. */
  retries?: number | undefined;
  /** True if the call may be repeated even if the server may have executed it. */
  idempotent?: boolean | undefined;
}

/** Options of one call; omitted or undefined ones are those of the client. */
export interface CallOptions extends CallDefaults {
  /** Aborts the call with an error of kind `aborted`. */
  signal?: AbortSignal | undefined;
}

export interface ClientOptions extends CallDefaults {
  /** Address of the service: `http://127.0.0.1:9000`. In browsers, "" is the origin of the page. */
  baseUrl: string;
  /**
   * Bearer token, or a function that returns one. If the server rejects a token of the function,
   * the function is called with it, and the request is repeated once with the new one.
   */
  token?: Token | undefined;
  /** Sends one request until its `signal` aborts it; default: the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Called once if the argspec of the server differs; default: `console.warn`. */
  warn?: ((message: string) => void) | undefined;
}

/**
 * A token, or a function that returns one; `rejected` is the token that the server has rejected.
 */
export type Token = string | ((rejected: string | undefined) => string | Promise<string>);

/** The part of `fetch` that a client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | ArrayBuffer | FormData;
  signal: AbortSignal;
  /**
   * Redirects are never followed: no header or body is sent elsewhere. `manual` if a redirect is a
   * valid response.
   */
  redirect: "error" | "manual";
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: { getReader(): FetchReader } | null;
}

export interface FetchReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Header fields; names are case-insensitive. */
export interface HttpHeaders {
  get(name: string): string | null;
  /** Present in Node.js; browsers hide cookies. */
  getSetCookie?(): string[];
}

/** A response without an envelope. Its body can be read once, by one of the methods. */
export interface HttpResponse<M extends string = string> {
  /** 200 to 399; other statuses are errors. */
  readonly status: number;
  /** Media type in lower case without parameters; empty if there is no body. */
  readonly type: M;
  readonly headers: HttpHeaders;
  bytes(): Promise<Uint8Array>;
  blob(): Promise<Blob>;
  text(): Promise<string>;
  /** Yields chunks as they arrive; leaving the loop closes the connection. */
  stream(): AsyncGenerator<Uint8Array, void, undefined>;
  /** Closes the connection without reading the body. */
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
  /** The port, or 1 on the admin port and 0 otherwise. */
  port?: [number, number];
  exec_id?: number;
  /** Number of dispatcher levels below the responding instance. */
  level: number;
  /** `[partitions, failed, instances at all levels]`; null if the instance is no dispatcher. */
  partitions: [number, number, number] | null;
  exec_ms: number;
  /** Share of the engines that contributed, 0 to 1; present if partial results are allowed. */
  coverage?: number;
  /** Present if the request has the header field `X-SVC-Explain: 1`. */
  explain?: unknown;
}

/** Items by key, merged from all partitions (plugin-api, "PluginResponse"). */
export interface PluginResponse<K, T> {
  level: number;
  levelparts: number;
  partials: number;
  hitcount: number;
  /** Two integers, then two floats. */
  aggregator: [number, number, number, number];
  /** Set by the plugin for people who read the response. */
  message?: string;
  meta: unknown;
  entries: [K, T][];
}

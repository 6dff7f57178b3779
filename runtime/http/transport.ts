// The interface between sockets and the request engine. A transport owns listening, parsing,
// limits, pipelining order and header bytes; the engine owns the content of responses. Two
// transports (`net` and `uws`) pass one conformance suite.

import type { TlsMaterial } from "../base/tls-files.js";
import type { Trace } from "../base/tracing/trace.js";
import type { CountedPlugin } from "../metrics/plugin-counters.js";
import type { Accept, Ident, Upload } from "../plugin/contract/request-source.js";
import type { ClientCertificate } from "./auth/request-head.js";
import type { SignedOrigin } from "./auth/signed-origin.js";
import type { HttpRejection } from "./rejections.js";

export type Method =
  | "GET"
  | "HEAD"
  | "POST"
  | "PUT"
  | "PATCH"
  | "OPTIONS"
  | "DELETE"
  | "CONNECT"
  | "TRACE";

/** The header fields that the server uses, parsed once per distinct header block. */
export interface RequestHeaders {
  /** Header lines as received, each with its CR LF, latin1, without the empty line. */
  readonly block: string;
  readonly accept: Accept;
  /** `X-SVC-Bypass-SOUT` above 0. */
  readonly bypassServiceOut: boolean;
  /** `X-SVC-Builtin-Min-Executor`, 0-3. */
  readonly minQueue: number;
  /** `X-SVC-Deadline`: maximum milliseconds that the client waits, 0 when absent. */
  readonly deadlineMs: number;
  /** `X-SVC-Partial-Target`, of any size; null if absent. */
  readonly partialTarget: bigint | null;
  /** `X-SVC-Key`, decoded; null if absent. */
  readonly key: string | null;
  /** `X-SVC-Via`: the dispatchers that forwarded the request unchanged, empty for none. */
  readonly via: string;
  /** `X-SVC-Explain` above 0: the client requests an explanation of the dispatch. */
  readonly isExplained: boolean;
  /** `X-SVC-Argspec` is present: the client requests the hash of the live argspec. */
  readonly hasArgspec: boolean;
  /** `X-Request-Id`, if it is printable and short enough; null for none. */
  readonly requestId: string | null;
  /** A browser sent fields that identify the page of the request. */
  readonly isFromPage: boolean;
  /** There is a `Forwarded` or `X-Forwarded-For`: a proxy sends the request, or claims to. */
  readonly isForwarded: boolean;
  /** Number of header fields received. */
  readonly count: number;
  /** Value of any field by lower-case name, latin1; the last one wins. */
  get(name: string): string | undefined;
}

/** A connection, as the engine and `/svc/inspect` see it. */
export interface Connection {
  readonly id: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** `http://<ip>:<port>/` of the client, IPv6 addresses in brackets. */
  readonly client: string;
  readonly openedAtMs: number;
  /** Set when the peer identified itself with an XSVCIDENT line. */
  readonly ident: Ident | null;
  /** The verified certificate of the peer, the same object for each request; null for none. */
  readonly certificate: ClientCertificate | null;
  /** When the client half-closed the connection, milliseconds since 1970; 0 before. */
  readonly endedAtMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Null unless the head of a request is complete and its body is not. */
  readonly arriving: IncomingRequest | null;
}

/** A request whose body is still being received. */
export interface IncomingRequest {
  readonly method: Method;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly t0Ms: number;
}

/** How a dispatcher answers a request, as records and responses show it. */
export interface RequestExplanation {
  end(): void;
  /** JSON text, shortened for a header field. */
  text(isField: boolean): string;
}

/** One request that was received completely, and its one response. */
export interface Exchange {
  readonly method: Method;
  /** Path and query, latin1, unescaped as received. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Null if there is no body; up to INLINE_BODY_BYTES latin1 text, else bytes in shared memory. */
  readonly body: string | Uint8Array | null;
  /** A body with files that is on disk; undefined or null: none. */
  readonly upload?: Upload | null;
  readonly connection: Connection;
  /** Address of the client behind a proxy or dispatcher; null: that of the connection. */
  forwardedFor: string | null;
  /** Origin of the request by the signature of a dispatcher; null without one. */
  signedOrigin: SignedOrigin | null;
  /** First byte of the request handled: milliseconds since 1970, with fractions. */
  readonly t0Ms: number;
  /** The plugin that the metrics count it for; set by the engine. */
  countedPlugin: CountedPlugin | null;
  /** The trace of the request; set by the engine. */
  trace: Trace | null;
  /** Microseconds until an executor ran it, and the duration of the run; -1: not, or not yet. */
  queueUs: number;
  runUs: number;
  /** How a dispatcher has answered it; set by the engine. */
  explanation: RequestExplanation | null;
  /** JSON text of the authenticated principal, null for none; set by the engine. */
  principal: string | null;
  /** Kind of the request in the audit log; set by it once the request is permitted. */
  audited: "change" | "operation" | null;
  /** That of the client, or one that the audit log has made; null for none. */
  requestId: string | null;
  /** A warm-up call by the server itself, before Service-IN. */
  isWarmUp: boolean;
  /** True once the client disconnected; answering then only releases the request's resources. */
  readonly aborted: boolean;
  /**
   * Answers the request, now or later; responses are sent in request order. Every exchange must be
   * answered, aborted ones too; calls after the first do nothing.
   * @param status HTTP status code
   * @param mediaType without charset; null if there is no body
   * @param body latin1 text whose characters are the bytes to send, or bytes
   * @param fields further header lines, each with CR LF, sent before `Server`
   */
  respond(
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    fields?: string,
  ): void;
  /** Answers with `byteLength` bytes of `source`, which is not read at all for HEAD. */
  respondStream(
    status: number,
    mediaType: string,
    byteLength: number,
    source: ByteStream,
    fields?: string,
  ): void;
  /** Answers with content of unknown length; cancels `source` when the client disconnects. */
  respondChunked(
    status: number,
    mediaType: string,
    source: CancellableSource,
    fields?: string,
  ): void;
}

/** Content that can be cancelled, at any time and more than once. */
export interface CancellableSource extends AsyncIterable<Uint8Array> {
  cancel(): void;
}

/** Content produced while it is sent. */
export type ByteStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Callbacks of a transport to the engine. They must not throw. */
export interface ServerEvents {
  request(exchange: Exchange): void;
  /** Returns whether a plugin takes the body as a form with files, which may be on disk. */
  takesUpload?(target: string): boolean;
  /** Returns the body of an error that the transport sends itself (parser, limits); latin1. */
  errorBody(rejection: HttpRejection, accept: Accept, t0Ms: number): ErrorBody;
  /** Reports such an error; the exchange is null if a whole connection is refused. */
  onRejection(rejection: HttpRejection, client: string, exchange: Exchange | null): void;
  /** A connection of a client is closed without a response, because too many are open. */
  onShedConnection(client: string): void;
  /** Reports every response, also the transport's own, to the metrics. */
  onResponse(bytesIn: number, bytesOut: number): void;
  /** A connection was opened (1) or closed (-1). */
  onConnection(delta: 1 | -1): void;
}

export interface ErrorBody {
  readonly mediaType: string;
  readonly body: string;
}

export interface ServerOptions {
  readonly maxBodyBytes: number;
  /** Value of Access-Control-Allow-Origin, null for none. */
  readonly cors: string | null;
  /** Networks of dispatchers. */
  readonly dispatcherNetworks: readonly string[];
  /** Networks of proxies, whose clients are the ones that their requests name. */
  readonly proxies: readonly string[];
  /** Proxies name their clients by the PROXY protocol. */
  readonly proxyProtocol: boolean;
  readonly limits: ClientLimits;
  /** Maximum number of open connections; `uws` enforces only this limit. */
  readonly maxConnections: number;
  /** Timeout of idle connections. */
  readonly idleTimeoutMs: number;
  /** Limits for the bodies of unanswered requests, and for unread responses. */
  readonly bodyMemoryBytes: number;
  readonly responseMemoryBytes: number;
  /** Disk space for bodies with files; `uws` keeps them in memory. */
  readonly uploadBytes?: number;
  /** Certificates; null: connections are not encrypted. */
  readonly tls: TlsMaterial | null;
}

/** Limits per client, dispatchers excepted; 0 for no limit. */
export interface ClientLimits {
  readonly connections: number;
  /** Average rate, and size of a burst. */
  readonly requestsPerSecond: number;
}

/** Memory of a server in bytes, and its limits. */
export interface TransportMemory {
  readonly bodyBytes: number;
  readonly maxBodyBytes: number;
  readonly responseBytes: number;
  readonly maxResponseBytes: number;
}

/** One listening server (A or B). */
export interface HttpServer {
  readonly port: number;
  /** Returns the open connections. */
  connections(): readonly Connection[];
  /** Memory that requests and unread responses hold now. */
  memory(): TransportMemory;
  /** Sets the certificates of new connections. */
  useTls?(material: TlsMaterial): void;
  /** Closes each open connection with its next response, which carries `Connection: close`. */
  retire(): void;
  /**
   * Stops listening and lets connections close once all their requests are answered and sent.
   * Resolves when none is left, after `timeoutMs` at the latest.
   */
  drain(timeoutMs: number): Promise<void>;
  /** Stops listening and closes every connection at once. */
  close(): Promise<void>;
}

export interface Transport {
  readonly name: "net" | "uws";
  /** Rejects with the system's error (`code` EADDRINUSE …) when the port cannot be bound. */
  listen(
    port: number,
    ip: string | null,
    options: ServerOptions,
    events: ServerEvents,
  ): Promise<HttpServer>;
}

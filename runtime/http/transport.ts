// The seam between sockets and the request engine. A transport owns listening, parsing, limits,
// pipelining order and header bytes; the engine owns what is answered. Two transports (`net` and
// `uws`) pass one conformance suite.

import type { TlsMaterial } from "../base/tls-files.js";
import type { CountedPlugin } from "../metrics/plugin-counters.js";
import type { Accept, Ident } from "../plugin/contract/request-source.js";
import type { Trace } from "../tracing/trace.js";

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

/** The header fields that the server itself acts upon, parsed once per distinct header block. */
export interface RequestHeaders {
  /** Header lines as received, each with its CR LF, latin1, without the empty line. */
  readonly block: string;
  readonly accept: Accept;
  /** `X-SVC-Bypass-SOUT` above 0. */
  readonly bypassServiceOut: boolean;
  /** `X-SVC-Builtin-Min-Executor`, 0-3. */
  readonly minQueue: number;
  /** `X-SVC-Deadline`: milliseconds that the client waits at the most, 0 when it does not say. */
  readonly deadlineMs: number;
  /** `X-SVC-Partial-Target`, of any size; null when absent. */
  readonly partialTarget: bigint | null;
  /** `X-SVC-Via`: the dispatchers that have passed it on as it was, empty for none. */
  readonly via: string;
  /** `X-SVC-Explain` above 0: the client asks how its answer came about. */
  readonly isExplained: boolean;
  /** There is an `X-SVC-Argspec`: the client asks for the hash of the live argspec. */
  readonly hasArgspec: boolean;
  /** `X-Request-Id`, if it is printable and not too long; null for none. */
  readonly requestId: string | null;
  /** A browser tells where the page is from that sends it. */
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
  /** Set when the peer introduced itself with an XSVCIDENT line. */
  readonly ident: Ident | null;
  /** When the client ended its half, milliseconds since 1970; 0 before. */
  readonly endedAtMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Null unless more than the head of a request is still to come. */
  readonly arriving: IncomingRequest | null;
}

/** A request whose body is still being received. */
export interface IncomingRequest {
  readonly method: Method;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly t0Ms: number;
}

/** One request that was received whole, and its one answer. */
export interface Exchange {
  readonly method: Method;
  /** Path and query, latin1, unescaped as received. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Null without body; up to INLINE_BODY_BYTES latin1 text, else bytes in shared memory. */
  readonly body: string | Uint8Array | null;
  readonly connection: Connection;
  /** Address of the client behind a proxy of `http.proxies`; null: that of the connection. */
  readonly forwardedFor: string | null;
  /** First byte of the request handled: milliseconds since 1970, with fractions. */
  readonly t0Ms: number;
  /** The plugin that it asks for, as the metrics count it; the engine says so. */
  tally: CountedPlugin | null;
  /** What is recorded of it; the engine says so. */
  trace: Trace | null;
  /** The server calls itself before it is in service; who calls says so. */
  isWarmUp: boolean;
  /** True once the client is gone; answering then only frees what the request holds. */
  readonly aborted: boolean;
  /**
   * Answers the request, at any later time; answers leave in request order. Every exchange is to be
   * answered, aborted ones too; calls after the first do nothing.
   * @param status HTTP status code
   * @param mediaType without charset; null when there is no body
   * @param body latin1 text whose characters are the bytes to send, or bytes
   * @param fields further header lines, each with CR LF, sent before `Server`
   */
  answer(
    status: number,
    mediaType: string | null,
    body: string | Uint8Array,
    fields?: string,
  ): void;
  /** Answers with `byteLength` bytes of `source`, which is not read at all for HEAD. */
  answerStream(
    status: number,
    mediaType: string,
    byteLength: number,
    source: ByteStream,
    fields?: string,
  ): void;
  /** Answers with content whose length nobody knows; cancels `source` once the client is gone. */
  answerChunked(
    status: number,
    mediaType: string,
    source: CancellableSource,
    fields?: string,
  ): void;
}

/** Content that may be wanted no more. May be called at any time, and twice. */
export interface CancellableSource extends AsyncIterable<Uint8Array> {
  cancel(): void;
}

/** Content that is read while it is sent. */
export type ByteStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What a transport tells and asks the engine. Calls must not throw. */
export interface ServerEvents {
  request(exchange: Exchange): void;
  /** Body for an error that the transport answers by itself (parser, limits); latin1. */
  errorBody(status: number, message: string, accept: Accept, t0Ms: number): ErrorBody;
  /** Every answer, also the transport's own, for the metrics. */
  answered(bytesIn: number, bytesOut: number): void;
  /** A connection was opened (1) or closed (-1). */
  connected(delta: 1 | -1): void;
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
  readonly parents: readonly string[];
  /** Networks of proxies, whose clients are the ones that their requests name. */
  readonly proxies: readonly string[];
  /** Proxies name their clients by the PROXY protocol. */
  readonly proxyProtocol: boolean;
  readonly limits: ClientLimits;
  /** That are open; `uws` keeps to the bound of all. */
  readonly mostConnections: number;
  /** Of a connection on which nothing is asked. */
  readonly idleTimeoutMs: number;
  /** For all bodies that are not answered, and for all answers that are not read. */
  readonly bodyMemoryBytes: number;
  readonly answerMemoryBytes: number;
  /** Certificates; null: connections are not encrypted. */
  readonly tls: TlsMaterial | null;
}

/** What one client may do, dispatchers aside; 0 for no bound. */
export interface ClientLimits {
  readonly connections: number;
  /** On average; as many at once. */
  readonly requestsPerSecond: number;
}

/** One listening server (A or B). */
export interface HttpServer {
  readonly port: number;
  /** Connections now open. */
  connections(): readonly Connection[];
  /** Other certificates for connections that come from now on. */
  useTls?(material: TlsMaterial): void;
  /** Ends each open connection with its next answer, which says so. */
  retire(): void;
  /**
   * Stops listening and lets connections end once all that was asked on them is answered and sent.
   * Resolves when none is left, after `timeoutMs` at the latest.
   */
  drain(timeoutMs: number): Promise<void>;
  /** Stops listening and ends every connection at once. */
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

// The request as plugin code sees it. Creating one for every call must be cheap, so it only refers
// to its source: members are parsed when they are first read, and an object for changes is created
// with the first change.

import { createHash } from "node:crypto";
import { INSPECT } from "../contract/inspect-symbol.js";
import { decodeKey } from "../contract/key-header.js";
import type { RequestSource } from "../contract/request-source.js";
import {
  headerValue,
  KEY_HEADER,
  queryText,
  requestBytes,
  TARGET_HEADER,
  withoutPrefix,
} from "../contract/request-text.js";
import { latin1ToUtf8, toLatin1 } from "../contract/wire-text.js";
import { buildContent, type Content, constructedSource } from "./constructed-request.js";
import { type ParamReader, parseParams } from "./query-values.js";
import type { Headers } from "./received.js";
import { contentBytes, headersBytes, headersDict, receivedHeaders } from "./received.js";
import { ReceivedRequest } from "./received-request.js";
import {
  indexOrNull,
  keyOrNull,
  parseFlag,
  parsePrimary,
  signatureFrom,
  targetFrom,
} from "./request-arguments.js";

const AFFINITY_MODULUS = 128;
const PLUGIN_ROOT = /^\/svc\/(?:plugin|builtin)\//;
/** First argument of the constructor for received requests. */
const RECEIVED = Symbol("received");

type Readers = Readonly<Record<string, ParamReader>>;

/** Destination of a request. */
export interface Routing {
  /** The only partition that receives it, of any size; null for all partitions. */
  readonly target: bigint | null;
  /** Key whose owner receives it, unless there is a target; null: no key. */
  readonly key: string | null;
  /** Set by the plugin: only the primary row receives it. */
  readonly isPrimary: boolean;
  /** Preferred row, -1 for none. */
  readonly affinity: number;
}

/** Attributes that plugin code may set; undefined stands for the received value. */
interface Edits {
  partial: number | null | undefined;
  key: string | null | undefined;
  primary: 0 | 1 | undefined;
  affinity: number | null;
  flag: string | null;
  local: unknown;
  content: Content | null | undefined;
}

// The functions below access private state, so the class sets them.

/** Creates the request of one plugin call. `readers` are those of the plugin's parameters. */
export let requestFrom: (source: RequestSource, readers: Readers) => PluginRequest;
/** Creates a copy of a received request, for resubmission. */
export let createResubmission: (request: PluginRequest) => PluginRequest;
/** Returns whether the request was created by `createResubmission`. */
export let isResubmission: (request: PluginRequest) => boolean;
/** Returns the destination, as set by a plugin or the client. */
export let getRouting: (request: PluginRequest) => Routing;
/** Returns the signature; null if it was never read or is stale. */
export let getSignature: (request: PluginRequest) => string | null;

/**
 * A request to a plugin: the argument `request` of engine and pre-processor functions, and what a
 * pre-processor returns to forward it (plugin-api, "PluginRequest").
 */
export class PluginRequest extends ReceivedRequest {
  readonly #source: RequestSource;
  readonly #readers: Readers;
  #params: Record<string, unknown> | undefined;
  #edits: Edits | undefined;
  #signature: string | undefined;
  #resubmission = false;

  static {
    requestFrom = (source, readers) => new PluginRequest(RECEIVED, source, readers);
    createResubmission = (request) => {
      const resubmission = new PluginRequest(RECEIVED, request.#source, request.#readers);
      resubmission.#resubmission = true;
      if (request.#edits !== undefined) resubmission.#edits = { ...request.#edits };
      return resubmission;
    };
    isResubmission = (request) => request.#resubmission;
    getRouting = (request) => ({
      target: request.#partition,
      key: request.key,
      isPrimary: request.#edits?.primary === 1,
      affinity: request.affinity ?? -1,
    });
    getSignature = (request) => request.#signature ?? null;
  }

  /**
   * Creates a request to `/svc/plugin/<plugin>`. Arguments are positional, so that names of
   * parameters cannot conflict with them.
   * @param plugin service name
   * @param params query parameters; the back-end receives numbers with their type
   * @param headers header fields
   * @param content payload; makes the request a POST
   * @param partial target partition, 0 and up
   * @throws RequestError for a missing name, a parameter or header field that cannot be sent
   * @throws ArgumentError for arguments of another type
   */
  constructor(
    plugin: string,
    params?: Readonly<Record<string, unknown>> | null,
    headers?: Readonly<Record<string, string>> | null,
    content?: unknown,
    partial?: number | null,
  );
  /** @internal */
  constructor(received: typeof RECEIVED, source: RequestSource, readers: Readers);
  constructor(plugin: string | symbol, first?: unknown, second?: unknown, ...rest: unknown[]) {
    if (plugin === RECEIVED) {
      super(first as RequestSource);
      this.#source = first as RequestSource;
      this.#readers = second as Readers;
      return;
    }
    const [rawContent, partial] = rest;
    const content = buildContent(rawContent);
    const source = constructedSource(plugin, first, second, content);
    super(source);
    this.#source = source;
    this.#readers = {};
    this.#params = Object.assign(Object.create(null) as Record<string, unknown>, first);
    if (content !== null) this.#edit().content = content;
    if (partial !== undefined) this.partial = partial as number | null;
  }

  #edit(): Edits {
    this.#edits ??= {
      partial: undefined,
      key: undefined,
      primary: undefined,
      affinity: null,
      flag: null,
      local: null,
      content: undefined,
    };
    return this.#edits;
  }

  /** Query parameters by name; the object can be changed, but not replaced. */
  get params(): Record<string, unknown> {
    // Stale, because the caller may change the object.
    this.#signature = undefined;
    this.#params ??= parseParams(this.#source.query, this.#readers);
    return this.#params;
  }

  /** Value of a parameter, or `fallback` without one. */
  get(param: string, fallback?: unknown): unknown {
    const value = this.params[param];
    return value === undefined ? fallback : value;
  }

  /** Returns whether the parameter exists. */
  has(param: string): boolean {
    return this.params[param] !== undefined;
  }

  /** Names and values of all parameters. */
  items(): [string, unknown][] {
    return Object.entries(this.params);
  }

  /** Names of all parameters. */
  keys(): string[] {
    return Object.keys(this.params);
  }

  /** Values of all parameters. */
  values(): unknown[] {
    return Object.values(this.params);
  }

  /**
   * Target partition when forwarded (modulo the number of partitions), null for all partitions. A
   * received number above 2^53 reads as the greatest safe integer, but is forwarded unchanged.
   */
  get partial(): number | null {
    const partition = this.#partition;
    return partition === null ? null : Math.min(Number(partition), Number.MAX_SAFE_INTEGER);
  }

  set partial(target: number | null) {
    this.#edit().partial = indexOrNull(target, "partial");
  }

  /**
   * Key that selects the partition when forwarded in a system with slots; null for none. `partial`
   * takes precedence.
   */
  get key(): string | null {
    const edited = this.#edits?.key;
    if (edited !== undefined) return edited;
    const received = headerValue(this.#source.headerBlock, KEY_HEADER);
    return received === undefined ? null : decodeKey(received);
  }

  set key(key: string | null) {
    this.#edit().key = keyOrNull(key);
  }

  /**
   * 1 if this instance is the primary replica of its parent dispatcher, or has no parent. Setting 1
   * sends an all-partitions request to the primary row.
   */
  get primary(): 0 | 1 {
    return this.#edits?.primary ?? (this.ident[7] === 0 ? 0 : 1);
  }

  set primary(primary: 0 | 1 | boolean) {
    this.#edit().primary = parsePrimary(primary);
  }

  /** Preferred replica (row) when forwarded, null for none. */
  get affinity(): number | null {
    return this.#edits?.affinity ?? null;
  }

  set affinity(row: number | null) {
    const index = indexOrNull(row, "affinity");
    this.#edit().affinity = index === null ? null : index % AFFINITY_MODULUS;
  }

  /** Up to eight characters that the post-processor finds in `response.flag`. */
  get flag(): string | null {
    return this.#edits?.flag ?? null;
  }

  set flag(flag: string | null) {
    this.#edit().flag = parseFlag(flag);
  }

  /** Any value that the post-processor finds in `response.local`. */
  get local(): unknown {
    return this.#edits?.local ?? null;
  }

  set local(local: unknown) {
    this.#edit().local = local;
  }

  /**
   * Digest of the parameters, or of the path without any: 32 hexadecimal digits. Computed again
   * after an access to the parameters.
   */
  get signature(): string {
    this.#signature ??= this.#digest();
    return this.#signature;
  }

  set signature(signature: string | null) {
    this.#signature = signatureFrom(signature);
  }

  #digest(): string {
    const pairs = queryText(this.params).split("&").sort();
    const text = pairs[0] === "" ? this.path : pairs.join("&");
    return createHash("sha256").update(text).digest("hex").slice(0, 32);
  }

  /**
   * Content of a POST, which may be empty; null for a GET. An assigned string is sent as
   * text/plain, bytes as application/octet-stream, other values as JSON.
   */
  get content(): Uint8Array | null {
    const edited = this.#edits?.content;
    if (edited !== undefined) return edited === null ? null : edited.bytes;
    if (this.#source.method === "GET") return null;
    // With an empty type, a forwarded request keeps the received type.
    const content = { bytes: contentBytes(this.#source), type: "" };
    this.#edit().content = content;
    return content.bytes;
  }

  set content(content: unknown) {
    this.#edit().content = buildContent(content);
  }

  /** Header fields: for POST by lower-case name, for GET as bytes or in the declared format. */
  get headers(): Headers {
    const headers = receivedHeaders(this.#source);
    if (this.#source.method === "GET") return headers ?? headersBytes(this.#source);
    const isDict =
      typeof headers === "object" && !Array.isArray(headers) && !ArrayBuffer.isView(headers);
    return isDict ? headers : headersDict(this.#source);
  }

  /** `GET`, or `POST` when there is content. */
  get method(): "GET" | "POST" {
    const edited = this.#edits?.content;
    if (edited === undefined) return this.#source.method;
    return edited === null ? "GET" : "POST";
  }

  /** Name of the plugin, decoded. */
  get plugin(): string {
    const [path = ""] = withoutPrefix(this.#source.target).split("?", 1);
    const name = latin1ToUtf8(path.replace(PLUGIN_ROOT, ""));
    try {
      return decodeURIComponent(name);
    } catch {
      return name;
    }
  }

  /** Path and query as received, without decoding and without the prefix of this server. */
  get path(): string {
    return latin1ToUtf8(withoutPrefix(this.#source.target));
  }

  /**
   * Returns the HTTP request as forwarded to a back-end.
   * @throws RequestError for a parameter that cannot be sent
   */
  serialize(): Uint8Array {
    const content = this.content;
    return requestBytes({
      method: content === null ? "GET" : "POST",
      target: this.#target(),
      headerBlock: this.#source.headerBlock,
      partial: this.#partition,
      key: this.key,
      content,
      contentType: this.#edits?.content?.type || null,
    });
  }

  get #partition(): bigint | null {
    const edited = this.#edits?.partial;
    if (edited !== undefined) return edited === null ? null : BigInt(edited);
    const received = headerValue(this.#source.headerBlock, TARGET_HEADER);
    return received === undefined ? null : targetFrom(received);
  }

  /** Returns the target, as received if the parameters are unchanged. */
  #target(): string {
    const { target } = this.#source;
    if (this.#params === undefined) return target;
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = queryText(this.#params);
    return toLatin1(query === "" ? path : `${path}?${query}`);
  }

  /** @internal */
  [INSPECT](): string {
    const { path, partial, content } = this;
    return `<PluginRequest path=${path} partial=${partial} content-length=${content?.length ?? 0}>`;
  }
}

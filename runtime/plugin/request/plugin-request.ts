// The request as plugin code sees it. One is made for every call, so it holds only where it came
// from: everything is parsed when it is first touched, and what a plugin may change lives in an
// object that exists only once something was changed.

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
/** First argument that tells the constructor of a request that was received. */
const RECEIVED = Symbol("received");

type Readers = Readonly<Record<string, ParamReader>>;

/** Where a request goes. */
export interface Routing {
  /** The one partition that it is for, of any size; null for all. */
  readonly target: bigint | null;
  /** Selects the partition that owns it, unless there is a target; null: no key. */
  readonly key: string | null;
  /** Set by the plugin: only the primary row. */
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

// The functions below reach private state, so the class sets them.

/** Makes the request of one plugin call. `readers` are those of the plugin's parameters. */
export let requestFrom: (source: RequestSource, readers: Readers) => PluginRequest;
/** Makes the request that runs a received one once more. */
export let createResubmission: (request: PluginRequest) => PluginRequest;
/** Whether the request was made by `createResubmission`. */
export let isResubmission: (request: PluginRequest) => boolean;
/** Where the request is to go, as far as a plugin or the client said. */
export let getRouting: (request: PluginRequest) => Routing;
/** The signature, unless it was never read or is out of date. */
export let getSignature: (request: PluginRequest) => string | null;

/**
 * A request to a plugin: the argument `request` of engine and pre-processor functions, and what a
 * pre-processor returns to have it forwarded (plugin-api, "PluginRequest").
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
      const again = new PluginRequest(RECEIVED, request.#source, request.#readers);
      again.#resubmission = true;
      if (request.#edits !== undefined) again.#edits = { ...request.#edits };
      return again;
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
   * Makes a request to `/svc/plugin/<plugin>`. The arguments stand in this order: what clients call
   * their parameters can never set the others.
   * @param plugin service name
   * @param params query parameters; numbers keep their type on the way to the back-end
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
    const [given, partial] = rest;
    const content = buildContent(given);
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

  /** Parameters of the URL by name; the contents may be changed, the object not be replaced. */
  get params(): Record<string, unknown> {
    // The caller may change what it gets.
    this.#signature = undefined;
    this.#params ??= parseParams(this.#source.query, this.#readers);
    return this.#params;
  }

  /** Value of a parameter, or `fallback` when there is none. */
  get(param: string, fallback?: unknown): unknown {
    const value = this.params[param];
    return value === undefined ? fallback : value;
  }

  /** Whether there is such a parameter. */
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
   * Target partition when forwarded (modulo the number of partitions), null for all of them. One
   * received above 2^53 reads as the greatest safe integer; it is forwarded as it came.
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
   * 1 when this instance is the primary replica for its parent dispatcher or has none. Setting 1
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

  /** Up to eight bytes that the post-processor finds in `response.flag`. */
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
   * Digest of the parameters, 32 hexadecimal digits; of the path when there are none. Touching the
   * parameters makes it stale, and it is computed again when it is next read.
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
   * Content of a POST, which may be empty; null of a GET. Assigning a string sends text/plain,
   * anything else but bytes JSON.
   */
  get content(): Uint8Array | null {
    const edited = this.#edits?.content;
    if (edited !== undefined) return edited === null ? null : edited.bytes;
    if (this.#source.method === "GET") return null;
    // Without a type of its own it keeps the received one when the request is forwarded.
    const content = { bytes: contentBytes(this.#source), type: "" };
    this.#edit().content = content;
    return content.bytes;
  }

  set content(content: unknown) {
    this.#edit().content = buildContent(content);
  }

  /** Header fields by lower-case name for POST; for GET bytes, or what the plugin declared. */
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

  /** Path and query as received, not decoded, without the prefix of this server. */
  get path(): string {
    return latin1ToUtf8(withoutPrefix(this.#source.target));
  }

  /**
   * The HTTP request as it is forwarded to a back-end.
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

  /** As received while the parameters are unchanged. */
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

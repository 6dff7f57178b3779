// Calls operations of one service: the core of a generated client. Repeats a request only if the
// server cannot have executed it, or if executing it twice is harmless.

import { CallDeadline } from "./call-deadline.js";
import {
  decoded,
  describeCause,
  exchange,
  isConnectError,
  type RawResponse,
  readText,
} from "./exchange.js";
import { readHttpResult } from "./http-response.js";
import type { Operation } from "./operation.js";
import type {
  CallOptions,
  ClientOptions,
  Envelope,
  FetchInit,
  FetchReader,
  FetchResponse,
  HttpResult,
} from "./options.js";
import { buildRequest, type Request, withBytes } from "./request.js";
import { readMember, responseError } from "./response-error.js";
import { RetryBudget, retryDelayMs } from "./retry-budget.js";
import { readFirstChunk, readStreamItems, type StreamPosition } from "./stream-items.js";
import { SvcError } from "./svc-error.js";
import { TokenSource } from "./token-source.js";
import { decode } from "./typed-values.js";

const TIMEOUT_MS = 30_000;
const RETRIES = 2;
const ARGSPEC_HEADER = "x-svc-argspec";

/** A function that returns one page. */
export interface PageCall {
  (params?: object, options?: CallOptions): Promise<unknown>;
  /** Yields the items of all pages. */
  all(params?: object, options?: CallOptions): AsyncGenerator<unknown, void, undefined>;
}

/** Calls a service. A connection is lightweight, because it has no open socket. */
export class Connection {
  readonly #options: ClientOptions;
  /** Hash of the argspec that the client was generated from. */
  readonly #argspec: string;
  /** Null without a token. */
  #tokens: TokenSource | null;
  #budget = new RetryBudget();
  /** True once the hash of the server's contract has been compared. */
  #contract = { isCompared: false };

  constructor(options: ClientOptions, argspec: string) {
    this.#options = options;
    this.#tokens = options.token === undefined ? null : new TokenSource(options.token);
    this.#argspec = argspec;
  }

  /** Returns a connection with other options that shares the retry budget. */
  with(options: CallOptions & Partial<ClientOptions>): Connection {
    const connection = new Connection(merged(this.#options, options), this.#argspec);
    connection.#budget = this.#budget;
    if (options.token === undefined) connection.#tokens = this.#tokens;
    if (options.baseUrl === undefined) connection.#contract = this.#contract;
    return connection;
  }

  /**
   * Returns the envelope's `response`, or the text, of an operation.
   * @throws SvcError
   */
  async call(
    operation: Operation,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<unknown> {
    const response = await this.#send(operation, params, options);
    return operation.text ? response : decodeResult(operation, readMember(response, "response"));
  }

  /** Returns a function that returns one page, with a member that yields the items of all. */
  pages(operation: Operation): PageCall {
    const call = (params?: object, options?: CallOptions) => this.call(operation, params, options);
    const all = (params?: object, options?: CallOptions) => this.#allItems(call, params, options);
    return Object.assign(call, { all });
  }

  async *#allItems(
    call: (params?: object, options?: CallOptions) => Promise<unknown>,
    params: object | undefined,
    options: CallOptions | undefined,
  ): AsyncGenerator<unknown, void, undefined> {
    for (let cursor: unknown; cursor !== null; ) {
      const pageParams = cursor === undefined ? params : { ...params, cursor };
      const page = await call(pageParams, options);
      yield* readMember(page, "items") as readonly unknown[];
      cursor = readMember(page, "cursor") ?? null;
    }
  }

  /**
   * Returns the whole envelope of an operation.
   * @throws SvcError
   */
  async callRaw(
    operation: Operation,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<Envelope<unknown>> {
    const envelope = (await this.#send(operation, params, options)) as Envelope<unknown>;
    if (operation.result) envelope.response = decodeResult(operation, envelope.response);
    return envelope;
  }

  /**
   * Yields the items of a streamed result. The timeout applies to the first item, and then to each
   * silence of the server. A stream with positions continues after a cut connection.
   * @throws SvcError
   */
  async *stream(
    operation: Operation,
    params: object | undefined,
    options: CallOptions | undefined,
  ): AsyncGenerator<unknown, void, undefined> {
    const settings: ClientOptions & CallOptions = merged(this.#options, options ?? {});
    const limit = limitOf(operation, settings);
    const position: StreamPosition = { id: "" };
    try {
      let reader = await this.#openStream(operation, params, settings, limit);
      for (;;) {
        try {
          const items = readStreamItems(reader, operation, limit, position);
          for await (const item of items) yield decodeResult(operation, item);
          return;
        } catch (error) {
          limit.check();
          const { id } = position;
          const isFinal = id === "" || settings.retries === 0 || !isNetworkError(error);
          if (isFinal) throw error;
        }
        reader = await this.#resumeStream(operation, params, settings, limit, position.id);
      }
    } finally {
      limit.end();
    }
  }

  async #openStream(
    operation: Operation,
    params: object | undefined,
    settings: ClientOptions & CallOptions,
    limit: CallDeadline,
  ): Promise<FetchReader> {
    const { content } = await this.#repeat(operation, params, settings, limit, (request) =>
      this.#exchange(operation, request, settings, limit.signal, (response) =>
        readFirstChunk(response, operation),
      ),
    );
    this.#budget.succeeded();
    return content;
  }

  /** Retries until the time limit for silence expires, because a restart of a server takes time. */
  async #resumeStream(
    operation: Operation,
    params: object | undefined,
    settings: ClientOptions & CallOptions,
    limit: CallDeadline,
    id: string,
  ): Promise<FetchReader> {
    const resumeSettings = {
      ...merged(settings, { headers: { "last-event-id": id } }),
      retries: 0,
    };
    let failure: SvcError<string> | undefined;
    for (let retry = 0; ; retry++) {
      await limit.wait(retryDelayMs(retry));
      limit.check(failure);
      try {
        return await this.#openStream(operation, params, resumeSettings, limit);
      } catch (error) {
        limit.check(failure);
        failure = error as SvcError<string>;
        if (!mayRepeat(failure, true)) throw error;
      }
    }
  }

  /**
   * Returns a response without an envelope, or the value of an envelope if the plugin returns
   * either.
   * @throws SvcError
   */
  async callHttp(
    operation: Operation,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<unknown> {
    const result = await this.readHttp(operation, params, options);
    return result.response ?? decodeResult(operation, result.value);
  }

  /**
   * Returns either form without merging them.
   * @throws SvcError
   */
  async readHttp(
    operation: Operation,
    params: object | undefined,
    options: CallOptions = {},
  ): Promise<HttpResult> {
    const settings: ClientOptions & CallOptions = merged(this.#options, options);
    const limit = limitOf(operation, settings);
    try {
      const { content } = await this.#repeat(operation, params, settings, limit, (request) =>
        this.#exchange(operation, request, settings, limit.signal, (response) =>
          readHttpResult(response, operation, limit),
        ),
      );
      this.#budget.succeeded();
      limit.suspend();
      if (content.response === null) limit.end();
      return content;
    } catch (error) {
      limit.end();
      throw error;
    }
  }

  async #send(operation: Operation, params: object | undefined, options: CallOptions = {}) {
    const settings: ClientOptions & CallOptions = merged(this.#options, options);
    const limit = limitOf(operation, settings);
    try {
      return await this.#repeat(operation, params, settings, limit, (request) =>
        this.#attempt(operation, request, settings, limit.signal),
      );
    } finally {
      limit.end();
    }
  }

  /** Repeats the call until an attempt succeeds, or fails in a way that must not be repeated. */
  async #repeat<T>(
    operation: Operation,
    params: object = {},
    settings: ClientOptions & CallOptions,
    limit: CallDeadline,
    attempt: (request: Request) => Promise<T>,
  ): Promise<T> {
    const { retries = RETRIES, idempotent } = settings;
    const request = buildRequest(
      settings.baseUrl,
      operation,
      await withBytes(operation, params),
      settings,
    );
    const isSafe = idempotent || operation.readonly === true || operation.once === true;
    let failure: SvcError<string> | undefined;
    for (let retry = 0; ; retry++) {
      limit.check(failure);
      try {
        return await this.#authorized(request, limit, attempt);
      } catch (error) {
        limit.check(failure);
        failure = error as SvcError<string>;
        if (retry >= retries || !mayRepeat(failure, isSafe) || !this.#budget.take()) throw error;
      }
      await limit.wait(retryDelayMs(retry));
    }
  }

  /** Sends a request with the token; if the server rejects it, once more with a new one. */
  async #authorized<T>(
    request: Request,
    limit: CallDeadline,
    attempt: (request: Request) => Promise<T>,
  ): Promise<T> {
    const tokens = this.#tokens;
    if (tokens === null || request.headers.authorization) return attempt(request);
    const token = await fetchToken(tokens, limit);
    try {
      return await attempt(withToken(request, token));
    } catch (error) {
      if (!tokens.isRenewable || !isUnauthorized(error as SvcError<string>)) throw error;
    }
    return attempt(withToken(request, await fetchToken(tokens, limit, token)));
  }

  /** Returns the decoded body of a successful response. */
  async #attempt(
    operation: Operation,
    request: Request,
    options: ClientOptions,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { text: isText } = operation;
    const response = await this.#exchange(operation, request, options, signal, readText);
    const { status, content: text } = response;
    const content = isText && status === 200 ? text : decoded(text);
    if (status !== 200 || !(isText || readMember(content, "status") === "OK")) {
      throw responseError(operation, status, content);
    }
    this.#budget.succeeded();
    return content;
  }

  async #exchange<T>(
    { path, http }: Operation,
    { url, method, headers, body }: Request,
    { fetch = globalThis.fetch, warn = console.warn }: ClientOptions,
    signal: AbortSignal,
    read: (response: FetchResponse) => Promise<T>,
  ): Promise<RawResponse<T>> {
    const redirect = http === undefined ? "error" : "manual";
    const init: FetchInit = { method, headers: { ...headers }, signal, redirect };
    if (body !== undefined) init.body = body;
    if (!this.#contract.isCompared) init.headers[ARGSPEC_HEADER] = this.#argspec;
    const response = await exchange(fetch, url, init, path, read);
    const { argspec } = response;
    if (argspec !== null && !this.#contract.isCompared) {
      this.#contract.isCompared = true;
      if (argspec !== this.#argspec) warn(otherContract(this.#argspec, argspec));
    }
    return response;
  }
}

/** @throws SvcError for a value that is not of its class */
function decodeResult(operation: Operation, value: unknown): unknown {
  const { result, plans = [], path } = operation;
  if (!result) return value;
  try {
    return decode(value, result, plans, "response");
  } catch (cause) {
    throw new SvcError("http", `${path}: ${describeCause(cause)}`, { status: 200, cause });
  }
}

/**
 * Merges options: undefined ones are ignored; header fields are added, with names in lower case.
 */
function merged<T extends CallOptions>(options: T, others: CallOptions): T {
  const defined = Object.entries(others).filter(([, value]) => value !== undefined);
  const headers = [options, others].flatMap((each) =>
    Object.entries(each.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { ...options, ...Object.fromEntries(defined), headers: Object.fromEntries(headers) };
}

function limitOf(
  { path }: Operation,
  { timeoutMs = TIMEOUT_MS, signal }: CallOptions,
): CallDeadline {
  return new CallDeadline(path, timeoutMs, signal);
}

/** Returns the token. A token function that never settles must not block later calls. */
async function fetchToken(
  tokens: TokenSource,
  limit: CallDeadline,
  rejected?: string,
): Promise<string> {
  try {
    return await limit.race(tokens.get(rejected));
  } catch (error) {
    tokens.giveUp();
    throw error;
  }
}

function withToken(request: Request, token: string): Request {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/**
 * Returns whether the server rejected the request itself; a plugin that rejects it has been
 * executed.
 */
function isUnauthorized({ kind, status }: SvcError<string>): boolean {
  return kind === "http" && status === 401;
}

/** Returns whether the connection failed. The caller of a stream may throw any value into it. */
function isNetworkError(error: unknown): boolean {
  return error instanceof SvcError && error.kind === "network";
}

/** @param isSafe whether the call may be executed twice */
function mayRepeat({ kind, status, cause, message }: SvcError<string>, isSafe: boolean): boolean {
  // These statuses mean that the server has not executed the request.
  if ([421, 429, 503].includes(status!)) return true;
  // An earlier attempt with the same key is still running.
  if (status === 409 && isSafe && message.includes("SVC3405")) return true;
  return kind === "network" && (isSafe || isConnectError(cause));
}

function otherContract(own: string, served: string): string {
  const [known, other] = [own, served].map((hash) => hash.slice(0, 8));
  return `The service contract changed (${known}, now ${other}): regenerate this client.`;
}

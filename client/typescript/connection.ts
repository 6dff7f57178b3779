// Calls operations of one service: the part of a generated client that does the work. Sends a
// request again only where the server cannot have executed it, or where that does no harm.

import { answerError, memberOf } from "./answer-error.js";
import { CallLimit } from "./call-limit.js";
import { exchange, isConnectFault } from "./exchange.js";
import type { Operation } from "./operation.js";
import type { CallOptions, ClientOptions, Envelope, FetchInit } from "./options.js";
import { type Request, requestOf, withBytes } from "./request.js";
import { RetryBudget, retryWaitMs } from "./retry-budget.js";
import type { SvcError } from "./svc-error.js";

const TIMEOUT_MS = 30_000;
const RETRIES = 2;
const ARGSPEC_HEADER = "x-svc-argspec";

/** A service and how to call it; cheap, and without any open socket of its own. */
export class Connection {
  readonly #options: ClientOptions;
  /** Hash of the argspec that the client was generated from. */
  readonly #argspec: string;
  #budget = new RetryBudget();
  /** Whether a server has told its own hash. */
  #contract = { isCompared: false };

  constructor(options: ClientOptions, argspec: string) {
    this.#options = options;
    this.#argspec = argspec;
  }

  /** The same with other options, and with the same bound on retries. */
  with(options: CallOptions & Partial<ClientOptions>): Connection {
    const connection = new Connection(merged(this.#options, options), this.#argspec);
    connection.#budget = this.#budget;
    if (options.baseUrl === undefined) connection.#contract = this.#contract;
    return connection;
  }

  /**
   * What the operation answers: the envelope's `response`, or the text.
   * @throws SvcError
   */
  async call(
    operation: Operation,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<unknown> {
    const answer = await this.#send(operation, params, options);
    return operation.text ? answer : memberOf(answer, "response");
  }

  /**
   * The whole envelope of an operation that answers with one.
   * @throws SvcError
   */
  async callRaw(
    operation: Operation,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<Envelope<unknown>> {
    return (await this.#send(operation, params, options)) as Envelope<unknown>;
  }

  async #send(operation: Operation, params: object = {}, options: CallOptions = {}) {
    const all: ClientOptions & CallOptions = merged(this.#options, options);
    const { retries = RETRIES, timeoutMs = TIMEOUT_MS, idempotent, signal } = all;
    const request = requestOf(all.baseUrl, operation, await withBytes(operation, params), all);
    const isSafe = idempotent || operation.readonly === true;
    const limit = new CallLimit(operation.path, timeoutMs, signal);
    let failure: SvcError | undefined;
    try {
      for (let retry = 0; ; retry++) {
        limit.check(failure);
        try {
          return await this.#attempt(operation, request, all, limit.signal);
        } catch (error) {
          limit.check(failure);
          failure = error as SvcError;
          if (retry >= retries || !mayRepeat(failure, isSafe) || !this.#budget.take()) throw error;
        }
        await limit.wait(retryWaitMs(retry));
      }
    } finally {
      limit.end();
    }
  }

  /** The decoded body of a success. */
  async #attempt(
    { path, text: isText }: Operation,
    { url, method, headers, body }: Request,
    { fetch = globalThis.fetch, warn = console.warn }: ClientOptions,
    signal: AbortSignal,
  ): Promise<unknown> {
    const init: FetchInit = { method, headers: { ...headers }, signal, redirect: "error" };
    if (body !== undefined) init.body = body;
    if (!this.#contract.isCompared) init.headers[ARGSPEC_HEADER] = this.#argspec;
    const { status, text, argspec } = await exchange(fetch, url, init, path);
    if (argspec !== null && !this.#contract.isCompared) {
      this.#contract.isCompared = true;
      if (argspec !== this.#argspec) warn(otherContract(this.#argspec, argspec));
    }
    const content = isText && status === 200 ? text : decoded(text);
    if (status !== 200 || !(isText || memberOf(content, "status") === "OK")) {
      throw answerError(path, status, content);
    }
    this.#budget.succeeded();
    return content;
  }
}

/** Options that are undefined do not count; header lines add up, named in small letters. */
function merged<T extends CallOptions>(options: T, others: CallOptions): T {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const headers = [options, others].flatMap((each) =>
    Object.entries(each.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { ...options, ...Object.fromEntries(given), headers: Object.fromEntries(headers) };
}

/** @param isSafe to be executed twice */
function mayRepeat({ kind, status, cause }: SvcError, isSafe: boolean): boolean {
  // With either status nothing was executed.
  if (status === 429 || status === 503) return true;
  return kind === "network" && (isSafe || isConnectFault(cause));
}

/** Text that is no JSON stays what it is. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function otherContract(own: string, served: string): string {
  const [known, other] = [own, served].map((hash) => hash.slice(0, 8));
  return `The service has changed (${known}, now ${other}): generate this client again.`;
}

// Accepts admin operations. Each requires a token, is logged, and waits for the previous one. The
// main thread executes them.

import { log } from "../../base/log.js";
import { readClientAddress } from "../client-of.js";
import { AdminTokens, Exception, type IssuedToken } from "./admin-tokens.js";

const WAIT_MS = 15_000;
/** Cancellations and lease renewals must not wait for the running operation. */
const UNQUEUED: ReadonlySet<string> = new Set(["CancelSync", "Lease"]);

/** Operations that procedures call repeatedly: their results contain the token of the next one. */
const FREQUENT: ReadonlySet<string> = new Set(["Lease", "MoveSlots"]);

export type ControlArguments = Readonly<Record<string, unknown>>;

/** Passes an operation to the main thread. */
export type ControlHandler = (operation: string, args: ControlArguments) => Promise<unknown>;

type Headers = Readonly<Record<string, string>>;

export class ControlService {
  readonly #control: ControlHandler;
  readonly #tokens: AdminTokens;
  readonly #waitMs: number;
  /** Resolves when no operation is running. */
  #busy: Promise<void> | null = null;

  constructor(control: ControlHandler, tokens = new AdminTokens(), waitMs = WAIT_MS) {
    this.#control = control;
    this.#tokens = tokens;
    this.#waitMs = waitMs;
  }

  issue(headers: Headers): IssuedToken {
    return this.#tokens.issue(readClientAddress(headers));
  }

  /**
   * Uses up the token of an operation and logs the client.
   * @returns the client
   * @throws PermissionError for an invalid token
   */
  authorise(headers: Headers, token: string, operation: string): string {
    const client = readClientAddress(headers);
    this.#tokens.take(client, token);
    const agent = (headers["user-agent"] ?? "").slice(0, 200);
    // Level debug for frequent operations, whose important steps are logged elsewhere.
    const level = FREQUENT.has(operation) ? "debug" : "info";
    log(`admin: ${operation}`, level, { operation, client, agent });
    return client;
  }

  /**
   * Executes an operation; failures after the authorization are returned as text, as the interface
   * specifies.
   * @throws PermissionError for an invalid token, Exception
   */
  async perform(
    headers: Headers,
    token: string,
    operation: string,
    args: ControlArguments = {},
  ): Promise<unknown> {
    const client = this.authorise(headers, token, operation);
    const done = UNQUEUED.has(operation) ? () => {} : await this.#turn(operation);
    try {
      const result = await this.#control(operation, args);
      if (!FREQUENT.has(operation)) return result;
      return { ...(result as object), authtoken: this.issue(headers).authtoken };
    } catch (error) {
      const { message } = error as Error;
      log(`admin: ${operation} failed: ${message}`, "warn", { operation, client });
      return `Exception(${JSON.stringify(message)})`;
    } finally {
      done();
    }
  }

  /** Like `perform`, for operations that require two consecutive tokens. */
  performTwice(
    headers: Headers,
    token: string,
    former: string,
    operation: string,
    args: ControlArguments,
  ): Promise<unknown> {
    this.#tokens.checkPreviousToken(readClientAddress(headers), former);
    return this.perform(headers, token, operation, args);
  }

  /** Waits for the previous operation; resolves with the function that ends this one. */
  async #turn(operation: string): Promise<() => void> {
    const deadline = performance.now() + this.#waitMs;
    while (this.#busy !== null) {
      const leftMs = deadline - performance.now();
      const timer = leftMs > 0 ? sleeper(leftMs) : null;
      if (timer === null) {
        log(`admin: ${operation} rejected: another operation is still running`, "warn");
        throw new Exception("Another admin operation is currently in progress");
      }
      await Promise.race([this.#busy, timer.slept]);
      timer.end();
    }
    let end: () => void = () => {};
    this.#busy = new Promise((resolve) => {
      end = () => {
        this.#busy = null;
        resolve();
      };
    });
    return end;
  }
}

function sleeper(ms: number): { readonly slept: Promise<void>; readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms).unref();
  });
  return { slept, end: () => clearTimeout(timer) };
}

// Where operations on the server itself come in: each needs a token, is logged, and waits until the
// one before it is done. What is done is for the main thread to do.

import { log } from "../../base/log.js";
import { clientAddressOf } from "../client-of.js";
import { AdminTokens, Exception, type IssuedToken } from "./admin-tokens.js";

const WAIT_MS = 15_000;
/** What ends another operation, or says that one is still at work, cannot wait for its end. */
const UNQUEUED: ReadonlySet<string> = new Set(["CancelSync", "Lease"]);

export type ControlArguments = Readonly<Record<string, unknown>>;

/** Lets the main thread do it. */
export type ControlHandler = (operation: string, args: ControlArguments) => Promise<unknown>;

type Headers = Readonly<Record<string, string>>;

export class ControlService {
  readonly #control: ControlHandler;
  readonly #tokens: AdminTokens;
  readonly #waitMs: number;
  /** Resolves when nothing is being done. */
  #busy: Promise<void> | null = null;

  constructor(control: ControlHandler, tokens = new AdminTokens(), waitMs = WAIT_MS) {
    this.#control = control;
    this.#tokens = tokens;
    this.#waitMs = waitMs;
  }

  issue(headers: Headers): IssuedToken {
    return this.#tokens.issue(clientAddressOf(headers));
  }

  /**
   * Takes the token of an operation, and says in the log who does what.
   * @returns the client
   * @throws PermissionError
   */
  authorise(headers: Headers, token: string, operation: string): string {
    const client = clientAddressOf(headers);
    this.#tokens.take(client, token);
    const agent = (headers["user-agent"] ?? "").slice(0, 200);
    // A lease is renewed all the time; its begin and its end are told where it is kept.
    const level = operation === "Lease" ? "debug" : "info";
    log(`admin: ${operation}`, level, { operation, client, agent });
    return client;
  }

  /**
   * Does an operation; what fails after it was authorised is told as a text, as the interface has
   * it.
   * @throws PermissionError, Exception
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
      return await this.#control(operation, args);
    } catch (error) {
      const { message } = error as Error;
      log(`admin: ${operation} failed: ${message}`, "warn", { operation, client });
      return `Exception(${JSON.stringify(message)})`;
    } finally {
      done();
    }
  }

  /** The same, for what wants a second token, which was shown before. */
  performTwice(
    headers: Headers,
    token: string,
    former: string,
    operation: string,
    args: ControlArguments,
  ): Promise<unknown> {
    this.#tokens.checkFormer(clientAddressOf(headers), former);
    return this.perform(headers, token, operation, args);
  }

  /** Resolves with what ends the turn. */
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

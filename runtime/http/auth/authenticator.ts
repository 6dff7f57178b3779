// Asks the authentication handlers of a build, in order, for the principal of a request. Runs in
// the IO thread, so that one check covers plugins, built-in services, streams and files. A request
// without a principal is rejected, whatever a handler throws. Logs never contain credentials.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AUTH_FILE, BUILD_FOLDER } from "../../base/build-folder.js";
import { SvcError } from "../../base/errors.js";
import { log } from "../../base/log.js";
import { isThenable } from "../../base/thenable.js";
import { parseDecodedJson } from "../../plugin/request/parse-json.js";
import type { Principal } from "../../plugin/request/principal.js";
import { isHttpError } from "../../plugin/response/http-error.js";
import { AUTHENTICATION_UNAVAILABLE, HttpRejection, UNAUTHENTICATED } from "../rejections.js";
import type { Exchange } from "../transport.js";
import type { AuthHandler } from "./auth-handler.js";
import { ExchangeHead } from "./exchange-head.js";
import type { RequestHead } from "./request-head.js";

const TIMEOUT_MS = 5000;
/** Header fields that belong to a status, when a handler chooses the status of a rejection. */
const FIELDS: Readonly<Record<number, string>> = {
  401: UNAUTHENTICATED.fields,
  503: AUTHENTICATION_UNAVAILABLE.fields,
};

/** Null: the request may proceed, and its principal is set. */
export type Verdict = HttpRejection | null;

export class Authenticator {
  readonly #projectDir: string;
  readonly #references: readonly string[] | null;
  readonly #serialized = new WeakMap<object, string>();
  #handlers: readonly AuthHandler[] = [];
  #loads = 0;

  /** @param references handlers of a library program, `module#export`; null: those of the build */
  constructor(projectDir: string, references: readonly string[] | null = null) {
    this.#projectDir = projectDir;
    this.#references = references;
  }

  /**
   * Loads the handlers of the current build; if that fails, the former ones stay.
   * @throws SvcError SVC2208 if a handler cannot be used, or the error of the handler itself
   */
  async load(): Promise<void> {
    const handlers = await this.#import();
    for (const handler of handlers) await handler.open?.(this.#projectDir);
    const former = this.#handlers;
    this.#handlers = handlers;
    for (const handler of former) handler.close?.();
  }

  #import(): Promise<readonly AuthHandler[]> {
    if (this.#references !== null) return importExports(this.#projectDir, this.#references);
    const file = join(this.#projectDir, BUILD_FOLDER, AUTH_FILE);
    if (!existsSync(file)) throw unusable(`${BUILD_FOLDER}/${AUTH_FILE} is missing`);
    const url = pathToFileURL(file);
    url.search = `load=${++this.#loads}`;
    return importHandlers(url.href);
  }

  /** @param scopes permissions that the principal must have */
  check(exchange: Exchange, scopes: readonly string[]): Verdict | Promise<Verdict> {
    try {
      const head = new ExchangeHead(exchange);
      for (const [at, handler] of this.#handlers.entries()) {
        const principal = handler(head);
        // Also for promises of libraries, which must not be mistaken for a principal.
        if (isThenable(principal)) return this.#checkLater(principal, head, at, exchange, scopes);
        if (principal !== null) return this.#admit(principal, exchange, scopes);
      }
      return UNAUTHENTICATED;
    } catch (error) {
      return rejectionFor(error);
    }
  }

  async #checkLater(
    firstResult: PromiseLike<Principal | null>,
    head: RequestHead,
    at: number,
    exchange: Exchange,
    scopes: readonly string[],
  ): Promise<Verdict> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("timeout")), TIMEOUT_MS);
    });
    try {
      let principal = await Promise.race([firstResult, timeout]);
      for (const handler of this.#handlers.slice(at + 1)) {
        if (principal !== null) break;
        principal = await Promise.race([handler(head), timeout]);
      }
      return principal === null ? UNAUTHENTICATED : this.#admit(principal, exchange, scopes);
    } catch (error) {
      return rejectionFor(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #admit(principal: Principal, exchange: Exchange, scopes: readonly string[]): Verdict {
    // The value comes from user code: `undefined` or `true` must not pass.
    if (typeof principal !== "object") throw new TypeError("a principal is an object or null");
    // Set for refused requests, too: the audit log names their principal.
    exchange.principal = this.#serialize(principal);
    return missingScope(principal, scopes);
  }

  #serialize(principal: Principal): string {
    if (!Object.isFrozen(principal)) return toJson(principal);
    let text = this.#serialized.get(principal);
    if (text === undefined) {
      text = toJson(principal);
      this.#serialized.set(principal, text);
    }
    return text;
  }
}

/** Removes keys `__proto__`, which would set the prototype where plugins copy the principal. */
function toJson(principal: Principal): string {
  const text = JSON.stringify(principal);
  if (!text.includes("__proto__")) return text;
  return JSON.stringify(parseDecodedJson(text, "principal"));
}

/** @param text JSON text of a principal that a dispatcher has authenticated */
export function scopeRefusal(text: string, scopes: readonly string[]): Verdict {
  return scopes.length === 0 ? null : missingScope(JSON.parse(text) as Principal, scopes);
}

function missingScope(principal: Principal, scopes: readonly string[]): Verdict {
  for (const scope of scopes) {
    if (!Array.isArray(principal.scopes) || !principal.scopes.includes(scope)) {
      return new HttpRejection(403, `403 Forbidden: scope ${scope} is required`);
    }
  }
  return null;
}

async function importExports(
  folder: string,
  references: readonly string[],
): Promise<readonly AuthHandler[]> {
  const handlers = references.map(async (reference) => {
    const [module = "", name = ""] = reference.split("#");
    const exported = await importModule(pathToFileURL(join(folder, module)).href);
    return exported[name] as AuthHandler;
  });
  return requireFunctions(await Promise.all(handlers));
}

async function importHandlers(href: string): Promise<readonly AuthHandler[]> {
  const { exported } = await importModule(href);
  return requireFunctions(exported as readonly AuthHandler[]);
}

async function importModule(href: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw unusable(String(error));
  }
}

function requireFunctions(handlers: readonly AuthHandler[]): readonly AuthHandler[] {
  const index = handlers.findIndex((handler) => typeof handler !== "function");
  if (index >= 0) throw unusable(`handler ${index + 1} of \`auth\` is not a function`);
  return handlers;
}

function unusable(reason: string): SvcError {
  return new SvcError("SVC2208", `authentication handlers cannot be loaded: ${reason}`);
}

/** A message may quote the token, so the log gets the class of the error and its position only. */
function rejectionFor(error: unknown): HttpRejection {
  if (isHttpError(error)) {
    return new HttpRejection(error.status, error.message, FIELDS[error.status]);
  }
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: "" };
  const position = /^ {4}at .*$/m.exec(stack ?? "")?.[0].trim() ?? "";
  log(`authentication: handler failed: ${name} ${position}`, "error");
  return AUTHENTICATION_UNAVAILABLE;
}

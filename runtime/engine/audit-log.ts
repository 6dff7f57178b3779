// The audit log: changes of graphs by built-in plugins, admin operations, and refused requests,
// with their principals. It contains the names of changed objects, but no query strings, bodies or
// credentials.

import { randomUUID } from "node:crypto";
import { clientKey } from "../base/client-key.js";
import { SvcError } from "../base/errors.js";
import { log, logUnthrottled } from "../base/log.js";
import { formatJsonEntry, type LogFields } from "../base/log-entry.js";
import { RotatingFile } from "../base/rotating-file.js";
import { clientAddress } from "../http/client-address.js";
import type { ResourceKind } from "../http/methods.js";
import type { HttpRejection } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { principalName } from "../plugin/contract/principal-name.js";
import { latin1ToUtf8 } from "../plugin/contract/wire-text.js";
import { parseParams } from "../plugin/request/query-values.js";
import { RefusalQuota } from "./refusal-quota.js";

/** The value of `logging.audit` for the server log. */
const SERVER_LOG = "log";

const ROTATION = { maxBytes: 64 * 1024 * 1024, rotated: 9 };
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);
const SUMMARY_MS = 60_000;
/** Kinds of requests that the log contains besides refusals. */
const KINDS: Partial<Record<ResourceKind, Exchange["audited"]>> = {
  change: "change",
  control: "operation",
};
/** Query parameters that name the changed object. */
const NAMES = ["graph", "id", "initial", "terminal", "relationship", "what", "key"];
const MAX_CHARACTERS = 200;
const PORTS = ["main", "admin"] as const;
/** Values that need no quotes in text entries. */
const PLAIN = /^[^\s"=]+$/;

export class AuditLog {
  readonly #path: string;
  /** Null: entries are part of the server log. */
  readonly #file: RotatingFile | null;
  readonly #refusals = new RefusalQuota();
  #timer: NodeJS.Timeout | undefined;

  /** @param target path of a file, or `log` */
  constructor(target: string, rotation = ROTATION) {
    const fail = (reason: string): void => {
      log(`audit log ${target} not written: ${reason}`, "error");
    };
    this.#file = target === SERVER_LOG ? null : new RotatingFile(target, rotation, fail);
    this.#path = target;
  }

  /** @throws SvcError SVC2891 if the file cannot be written */
  open(): void {
    try {
      this.#file?.open();
    } catch (error) {
      const text = `the audit log ${this.#path} cannot be written: ${(error as Error).message}`;
      throw new SvcError("SVC2891", text, { cause: error });
    }
    this.#timer = setInterval(() => this.summarize(), SUMMARY_MS).unref();
  }

  /** Marks a permitted request for the log, and gives it an id for all instances. */
  admit(exchange: Exchange, kind: ResourceKind): void {
    exchange.audited = KINDS[kind] ?? null;
    if (exchange.audited !== null) exchange.requestId ??= randomUUID();
  }

  /** Records the response to a request that `admit` marked, or that was refused. */
  recordResponse(exchange: Exchange, port: 0 | 1, status: number): void {
    const { audited } = exchange;
    if (audited === null) {
      if (REFUSALS.has(status)) this.#refused(exchange, clientAddress(exchange), port, status);
      return;
    }
    const names = audited === "change" ? changedNames(exchange.target) : {};
    this.#write(audited, { ...requestFields(exchange, port, status), ...names });
  }

  /** Records a request or a connection that the transport refused. */
  recordRejection(
    port: 0 | 1,
    { status, reason }: HttpRejection,
    client: string,
    exchange: Exchange | null,
  ): void {
    if (REFUSALS.has(status)) this.#refused(exchange, client, port, status, { reason });
  }

  /** Writes the counts of refusals that were not listed. */
  summarize(): void {
    for (const { status, client, refusals } of this.#refusals.reset()) {
      this.#write("refused", { status, ...(client !== null && { client }), refusals });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.summarize();
    logLosses((await this.#file?.close()) ?? 0);
  }

  #refused(
    exchange: Exchange | null,
    client: string,
    port: 0 | 1,
    status: number,
    details: LogFields = {},
  ): void {
    if (!this.#refusals.take(clientKey(client), status)) return;
    const fields =
      exchange === null
        ? { status, port: PORTS[port], client, request: randomUUID() }
        : requestFields(exchange, port, status);
    this.#write("refused", { ...fields, ...details });
  }

  #write(event: string, details: LogFields): void {
    const fields = { audit: event, ...details };
    const text = `audit: ${event}: ${formatDetails(details)}`;
    if (this.#file === null) return logUnthrottled(text, "info", fields);
    logLosses(this.#file.write(formatJsonEntry("info", `audit: ${event}`, fields)));
  }
}

function logLosses(lost: number): void {
  if (lost > 0) log(`audit log: ${lost} entries lost`, "error");
}

/** Returns the fields of a text entry; values of clients cannot add fields or lines. */
export function formatDetails(details: LogFields): string {
  const fields = Object.entries(details).map(([name, value]) => {
    const text = String(value);
    return `${name}=${PLAIN.test(text) ? text : JSON.stringify(text)}`;
  });
  return fields.join(" ");
}

function requestFields(exchange: Exchange, port: 0 | 1, status: number): LogFields {
  const { method, target, principal } = exchange;
  const name = principal === null ? null : principalName(JSON.parse(principal) as object);
  exchange.requestId ??= randomUUID();
  return {
    ...{ method, path: shorten(latin1ToUtf8(target.split("?", 1)[0]!)), status },
    ...{ port: PORTS[port], client: clientAddress(exchange) },
    ...(name === null ? {} : { principal: shorten(name) }),
    request: exchange.requestId,
  };
}

function changedNames(target: string): LogFields {
  const mark = target.indexOf("?");
  if (mark < 0) return {};
  let params: Readonly<Record<string, unknown>>;
  try {
    params = parseParams(target.slice(mark + 1), {});
  } catch {
    // A malformed query changes nothing.
    return {};
  }
  const named = NAMES.filter((name) => params[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, shorten(String(params[name]))]));
}

function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
}

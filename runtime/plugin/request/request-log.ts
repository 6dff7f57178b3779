// A plugin's access to the server log; each entry carries the id of the request.

import { logUnthrottled } from "../../base/log.js";
import type { LogFields } from "../../base/log-entry.js";
import type { LogLevel } from "../../base/log-settings.js";
import { requestId } from "../contract/request-id.js";
import type { RequestSource } from "../contract/request-source.js";

/** Entries below the level of the setting `log.level` are omitted. */
export class RequestLog {
  readonly #source: RequestSource;

  constructor(source: RequestSource) {
    this.#source = source;
  }

  /** @param fields further members of entries in JSON */
  error(text: string, fields?: LogFields): void {
    this.#write(text, "error", fields);
  }

  /** @param fields as for `error` */
  warn(text: string, fields?: LogFields): void {
    this.#write(text, "warn", fields);
  }

  /** @param fields as for `error` */
  info(text: string, fields?: LogFields): void {
    this.#write(text, "info", fields);
  }

  /** @param fields as for `error` */
  debug(text: string, fields?: LogFields): void {
    this.#write(text, "debug", fields);
  }

  #write(text: string, level: LogLevel, fields: LogFields = {}): void {
    const { target, headerBlock, serial } = this.#source;
    const request = requestId(headerBlock) ?? String(serial);
    logUnthrottled(text, level, { ...fields, request, path: target.split("?", 1)[0]! });
  }
}

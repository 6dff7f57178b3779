// The IO thread's end of one executor: batches the requests of a loop turn into one message, and
// tracks how long the executor has been silent.

import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { REVOKE_QUEUED_AFTER_MS, UNRESPONSIVE_EXECUTOR_MS } from "../base/limits.js";
import {
  Batch,
  FLAG_ACCEPT_PARTIAL,
  FLAG_ACCEPT_TEXT,
  FLAG_ADMIN_PORT,
  FLAG_CLIENT_DISCONNECTED,
  FLAG_HAS_MATRIX,
  FLAG_KEYED,
  FLAG_POST,
  FLAG_TIMED_OUT,
  FLAG_TRUSTED,
  FLAG_WARM_UP,
  RequestField,
} from "../base/wire/batch.js";
import { clientUrl } from "../http/client-address.js";
import type { Exchange } from "../http/transport.js";
import type { Upload } from "../plugin/contract/request-source.js";
import type { PluginCall } from "./plugin-call.js";

/** Returns a copy of an upload that can be sent to another thread. */
function uploadOf({ upload }: Exchange): Upload | null {
  return upload ? { path: upload.path, size: upload.size } : null;
}

export class ExecutorLink {
  alive = true;
  /** Set by `notifyTimedOut` until the executor sends any message. */
  awaitsReply = false;
  /** Slots held here, running or queued. */
  inFlight = 0;
  readonly #outbox = new Batch();
  #scheduled = false;
  /** When the oldest unanswered message was posted; 0 when all were answered. */
  #waitingSinceMs = 0;
  #unanswered = 0;
  readonly #onResults: (link: ExecutorLink, results: unknown[]) => void;

  constructor(
    readonly id: number,
    readonly port: MessagePort,
    onResults: (link: ExecutorLink, results: unknown[]) => void,
  ) {
    this.#onResults = onResults;
    port.on("message", (results: unknown[]) => this.#receive(results));
  }

  #receive(results: unknown[]): void {
    // The first element is the number of batches that this message completes.
    this.awaitsReply = false;
    this.#unanswered -= results[0] as number;
    this.#waitingSinceMs = this.#unanswered > 0 ? performance.now() : 0;
    this.#onResults(this, results);
  }

  /**
   * Returns whether the executor has been in one plugin call for longer than a queued request
   * should wait.
   */
  get silent(): boolean {
    return this.#silentForMs > REVOKE_QUEUED_AFTER_MS;
  }

  get unresponsive(): boolean {
    return this.#silentForMs > UNRESPONSIVE_EXECUTOR_MS;
  }

  get #silentForMs(): number {
    return this.#waitingSinceMs === 0 ? 0 : performance.now() - this.#waitingSinceMs;
  }

  send(slot: number, call: PluginCall): void {
    const { exchange } = call;
    const { accept } = exchange.headers;
    const { connection } = exchange;
    let flags = exchange.method === "POST" ? FLAG_POST : 0;
    if (call.port === 1) flags |= FLAG_ADMIN_PORT;
    if (accept === "text") flags |= FLAG_ACCEPT_TEXT;
    else if (accept === "partial") flags |= FLAG_ACCEPT_PARTIAL;
    if (call.step !== null) flags |= FLAG_HAS_MATRIX;
    if (call.isTrusted) flags |= FLAG_TRUSTED;
    if (exchange.isWarmUp) flags |= FLAG_WARM_UP;
    if (typeof call.releaseKey === "function") flags |= FLAG_KEYED;
    // Read before the row begins: an exception within a row would shift all following rows.
    const { block } = exchange.headers;
    const client = clientUrl(exchange);
    const target = call.step === null ? exchange.target : call.step.target;
    const headers = exchange.trace === null ? block : exchange.trace.block(block);
    const body = uploadOf(exchange) ?? exchange.body;
    const { principal } = exchange;
    this.#begin(slot, call, flags);
    this.#outbox.add(exchange.t0Ms);
    this.#outbox.add(connection.ident);
    this.#outbox.add(client);
    this.#outbox.add(target);
    this.#outbox.add(headers);
    this.#outbox.add(body);
    this.#outbox.add(call.step === null ? null : call.step.merged);
    this.#outbox.add(principal);
  }

  /**
   * Notifies the executor that a request timed out and expects a message in return; `unresponsive`
   * reports if it did not arrive.
   */
  notifyTimedOut(slot: number, call: PluginCall): void {
    this.#notify(slot, call, FLAG_TIMED_OUT);
    this.awaitsReply = true;
  }

  /** Notifies the executor that the client of a running request disconnected. */
  notifyDisconnected(slot: number, call: PluginCall): void {
    this.#notify(slot, call, FLAG_CLIENT_DISCONNECTED);
  }

  #notify(slot: number, call: PluginCall, flag: number): void {
    this.#begin(slot, call, flag);
    for (let field = RequestField.T0Ms; field < RequestField.Stride; field++)
      this.#outbox.add(null);
  }

  /** Adds the common elements of requests and notices, and posts the batch after this turn. */
  #begin(slot: number, { serial, plugin }: PluginCall, flags: number): void {
    this.#outbox.add(slot);
    this.#outbox.add(serial);
    this.#outbox.add(plugin.number);
    this.#outbox.add(flags);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#post);
  }

  readonly #post = (): void => {
    this.#scheduled = false;
    if (!this.alive) return;
    if (this.#unanswered++ === 0) this.#waitingSinceMs = performance.now();
    this.#outbox.post(this.port);
  };

  /** Handles a dead executor: reads its last results and sends nothing more. */
  replaceDeadThread(): void {
    this.alive = false;
    for (;;) {
      const posted = receiveMessageOnPort(this.port);
      if (posted === undefined) break;
      this.#receive(posted.message as unknown[]);
    }
    this.port.close();
  }

  close(): void {
    this.alive = false;
    this.port.close();
  }
}

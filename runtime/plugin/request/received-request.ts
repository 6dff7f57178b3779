// Origin and context of a request: read-only for plugin code.

import { ArgumentError } from "../../base/errors.js";
import { threadSlots } from "../../base/instance-slots.js";
import { findShare } from "../../base/slot-map.js";
import { typeName } from "../contract/describe-error.js";
import type { Ident, RequestSource } from "../contract/request-source.js";
import { headerValue } from "../contract/request-text.js";
import { type App, getApp } from "./app.js";
import type { Principal } from "./principal.js";
import { RequestLog } from "./request-log.js";

/** `(defined, width, height, depth, partition, replica, channel, primary)`. */
export type MatrixIdentity = readonly [defined: number, ...Ident];

const NO_MATRIX: MatrixIdentity = Object.freeze([0, 1, 1, 1, 0, 0, 0, 1] as const);

function checkKey(key: unknown): string {
  if (typeof key === "string") return key;
  throw new ArgumentError("TypeError", `key must be str, not ${typeName(key)}`);
}

export abstract class ReceivedRequest {
  readonly #received: RequestSource;
  #principal: Principal | undefined;

  constructor(received: RequestSource) {
    this.#received = received;
  }

  /** Value of a header field, null for none; names are case-insensitive, the last field wins. */
  header(name: string): string | null {
    return headerValue(this.#received.headerBlock, name) ?? null;
  }

  /**
   * The principal returned by an `auth` handler; null without authentication, and in a `@public`
   * plugin.
   */
  get principal(): Principal | null {
    const text = this.#received.principal ?? null;
    if (text !== null) this.#principal ??= JSON.parse(text) as Principal;
    return this.#principal ?? null;
  }

  /**
   * Address of the client; behind a proxy of `http.proxies`, the one that the proxy names. Empty in
   * requests created by a program.
   */
  get ip(): string {
    const { client } = this.#received;
    return URL.canParse(client) ? new URL(client).hostname.replace(/^\[|\]$/g, "") : "";
  }

  /**
   * Aborts when the response is no longer needed: the client disconnected, or the deadline passed.
   * For `fetch` and other functions that accept a signal.
   */
  get signal(): AbortSignal {
    return this.#received.signal?.get() ?? new AbortController().signal;
  }

  /**
   * Result of the start function of this executor (`onStart`).
   * @throws Error without a start function, and in inline plugins
   */
  get app(): App {
    return getApp();
  }

  /** The server's log; entries carry the id of the request. */
  get log(): RequestLog {
    return new RequestLog(this.#received);
  }

  /** True for requests of external clients, false below another dispatcher. */
  get toplevel(): boolean {
    return this.#received.accept !== "partial";
  }

  /** Main port of this server. */
  get baseport(): number {
    return this.#received.basePort;
  }

  /** Port that received the request. */
  get port(): number {
    return this.#received.basePort + this.#received.portOffset;
  }

  /** Executor that runs the request, 0-31. */
  get executor(): number {
    return this.#received.executor;
  }

  /** True if the request may be forwarded to a back-end matrix. */
  get hasmatrix(): boolean {
    return this.#received.hasMatrix;
  }

  /** Position of this instance in the matrix of the dispatcher that sent the request. */
  get ident(): MatrixIdentity {
    const ident = this.#received.ident;
    return ident === null ? NO_MATRIX : [1, ...ident];
  }

  /** Partitions in the parent dispatcher's matrix, 1 without one. */
  get width(): number {
    return this.ident[1];
  }

  /**
   * Returns whether this instance stores the data of a key, by the slots of the system descriptor.
   * Without slots, each of `width` partitions stores an equal share of the keys.
   */
  owns(key: string): boolean {
    const slots = threadSlots();
    return slots === null ? this.partitionOf(key) === this.partition : slots.ownsKey(checkKey(key));
  }

  /**
   * Returns the number of the group that stores the data of a key. In a dispatcher: the partition
   * of its matrix, -1 if no partition stores it. Without slots: one of `width` partitions.
   */
  partitionOf(key: string): number {
    return threadSlots()?.partitionOf(checkKey(key)) ?? findShare(checkKey(key), this.width);
  }

  /** Replicas in the parent dispatcher's matrix, 1 without one. */
  get height(): number {
    return this.ident[2];
  }

  /** Channels from the parent dispatcher to this instance, 1 without one. */
  get depth(): number {
    return this.ident[3];
  }

  /** This instance's partition in the parent dispatcher's matrix. */
  get partition(): number {
    return this.ident[4];
  }

  /** This instance's replica in the parent dispatcher's matrix. */
  get replica(): number {
    return this.ident[5];
  }

  /** Channel of the parent dispatcher that carried the request. */
  get channel(): number {
    return this.ident[6];
  }

  /** Unique serial number of the request. */
  get sn(): number {
    return this.#received.serial;
  }

  /** Time of the first byte of the request, nanoseconds since 1970. */
  get t0(): bigint {
    const { t0Ms } = this.#received;
    const whole = Math.floor(t0Ms);
    return BigInt(whole) * 1_000_000n + BigInt(Math.round((t0Ms - whole) * 1e6));
  }
}

// Accounts for the resources that the connections of one address hold together: a limit per
// connection alone is no limit for a client that opens many.

import { clientKey } from "../../base/client-key.js";
import { RateLimiter } from "../../base/token-bucket.js";
import type { ClientLimits } from "../transport.js";
import type { BodyMemory } from "./body-store.js";
import { clientResponses, type ResponseMemory } from "./response-memory.js";

export class Client implements BodyMemory {
  /** Open connections: all, and those not of dispatchers. */
  connections = 0;
  counted = 0;
  readonly responses: ResponseMemory;
  /** Null without a rate limit. */
  readonly requests: RateLimiter | null;
  /** Disk space of its bodies. */
  uploadBytes = 0;
  #bodyBytes = 0;
  readonly #bodies: BodyMemory;
  readonly #maxBodyBytes: number;
  readonly #shed: (client: Client, bytes: number) => boolean;

  /**
   * @param maxBodyBytes quota of `bodies`, which all clients share
   * @param responses unread responses of all clients
   * @param shed releases memory of clients that hold more of `bodies`, if there are any
   */
  constructor(
    readonly key: string,
    bodies: BodyMemory,
    maxBodyBytes: number,
    responses: ResponseMemory,
    readonly limits: ClientLimits,
    shed: (client: Client, bytes: number) => boolean = () => false,
  ) {
    this.#shed = shed;
    const { requestsPerSecond } = limits;
    this.requests = requestsPerSecond > 0 ? new RateLimiter(requestsPerSecond) : null;
    this.responses = clientResponses(responses);
    this.#bodies = bodies;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Memory of its bodies. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Returns whether the client holds no shared resources. */
  get holdsNothing(): boolean {
    return this.#bodyBytes === 0 && this.uploadBytes === 0 && this.responses.held === 0;
  }

  /** Returns whether the client may open further connections only as a dispatcher. */
  get isFull(): boolean {
    return this.limits.connections > 0 && this.counted >= this.limits.connections;
  }

  take(bytes: number, isLarge: boolean): boolean {
    if (this.#bodyBytes + bytes > this.#maxBodyBytes) return false;
    while (!this.#bodies.take(bytes, isLarge)) if (!this.#shed(this, bytes)) return false;
    this.#bodyBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bodyBytes -= bytes;
    this.#bodies.give(bytes);
  }
}

/**
 * The clients with open connections, and disconnected ones that still hold memory or have used up
 * part of their rate limit: reconnecting must not reset either.
 */
export class Clients {
  readonly #clients = new Map<string, Client>();
  readonly #unconnected = new Set<Client>();
  readonly #make: (key: string) => Client;

  constructor(make: (key: string) => Client) {
    this.#make = make;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Returns the client at an address. */
  at(address: string): Client {
    const key = clientKey(address);
    let client = this.#clients.get(key);
    if (client === undefined) {
      client = this.#make(key);
      this.#clients.set(key, client);
      this.#unconnected.add(client);
    }
    return client;
  }

  /** Returns the number of connections from an address, without those of dispatchers. */
  countAt(address: string): number {
    return this.#clients.get(clientKey(address))?.counted ?? 0;
  }

  /** Returns the client with the most connections, not counting those of dispatchers. */
  largestClient(): Client | null {
    let largest: Client | null = null;
    for (const client of this.#clients.values()) {
      if (client.counted > (largest?.counted ?? 0)) largest = client;
    }
    return largest;
  }

  /** @param isCounted the connection is not a dispatcher's */
  connected(client: Client, isCounted: boolean): void {
    client.connections++;
    if (isCounted) client.counted++;
    this.#unconnected.delete(client);
  }

  recordClose(client: Client, wasCounted: boolean): void {
    if (wasCounted) client.counted--;
    if (--client.connections > 0) return;
    this.#unconnected.add(client);
    this.#forget(client, performance.now());
  }

  /** Removes clients without state to retain; called periodically. */
  sweep(monotonicMs: number): void {
    for (const client of this.#unconnected) this.#forget(client, monotonicMs);
  }

  #forget(client: Client, monotonicMs: number): void {
    if (!client.holdsNothing || client.requests?.isFull(monotonicMs) === false) return;
    this.#unconnected.delete(client);
    this.#clients.delete(client.key);
  }
}

// What the connections of one address hold together. A bound for each connection is none for who
// opens many of them. IPv6 clients are given whole networks: the first 64 bits count as one.

import { type AnswerMemory, clientAnswers } from "./answer-memory.js";
import type { BodyMemory } from "./body-store.js";

export class Client implements BodyMemory {
  /** Connections that are open. */
  connections = 0;
  readonly answers: AnswerMemory;
  #bodyBytes = 0;
  readonly #bodies: BodyMemory;
  readonly #maxBodyBytes: number;

  /**
   * @param maxBodyBytes what it may hold of `bodies`, which all clients share
   * @param answers of all clients
   */
  constructor(
    readonly key: string,
    bodies: BodyMemory,
    maxBodyBytes: number,
    answers: AnswerMemory,
  ) {
    this.answers = clientAnswers(answers);
    this.#bodies = bodies;
    this.#maxBodyBytes = maxBodyBytes;
  }

  take(bytes: number, isLarge: boolean): boolean {
    if (this.#bodyBytes + bytes > this.#maxBodyBytes) return false;
    if (!this.#bodies.take(bytes, isLarge)) return false;
    this.#bodyBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bodyBytes -= bytes;
    this.#bodies.give(bytes);
  }
}

/** The clients that have connections now; those that have none are forgotten. */
export class Clients {
  readonly #clients = new Map<string, Client>();
  readonly #make: (key: string) => Client;

  constructor(make: (key: string) => Client) {
    this.#make = make;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** The client at an address, which has one connection more from now on. */
  connected(address: string): Client {
    const key = clientKey(address);
    let client = this.#clients.get(key);
    if (client === undefined) {
      client = this.#make(key);
      this.#clients.set(key, client);
    }
    client.connections++;
    return client;
  }

  closed(client: Client): void {
    if (--client.connections === 0) this.#clients.delete(client.key);
  }
}

/** What tells clients apart: an IPv4 address, or the network of an IPv6 address. */
export function clientKey(address: string): string {
  if (!address.includes(":")) return address;
  const [start, rest] = address.split("::", 2) as [string, string | undefined];
  const groups = start === "" ? [] : start.split(":");
  const after = rest === undefined || rest === "" ? [] : rest.split(":");
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].slice(0, 4).join(":");
}

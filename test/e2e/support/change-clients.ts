// Clients that change a graph through a dispatcher while its leader changes, and notice what was
// acknowledged.

import { setTimeout as delay } from "node:timers/promises";
import * as assert from "uvu/assert";
import type { DecodedResponse } from "./server.js";

/** Plugins of the graph `shop` that the clients call. */
export const SHOP_PLUGINS = `
import { type Graph, type PluginRequest, PluginResponse, type str } from "svc-server";

/** Adds a vertex, once. @plugin @graph shop */
export function put(_request: PluginRequest, graph: Graph, id: str): PluginResponse {
  graph.createVertex(id);
  return new PluginResponse();
}

/** Counts. @plugin @graph shop */
export function sell(_request: PluginRequest, graph: Graph): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = graph.count("sold", "units", "total");
  return response;
}

/** Whether a vertex is there. @plugin @graph shop @readonly */
export function has(_request: PluginRequest, graph: Graph, id: str): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = graph.hasVertex(id) ? 1 : 0;
  return response;
}

/** Lists all vertices. @plugin @graph shop @readonly */
export function all(_request: PluginRequest, graph: Graph): str[] {
  return (graph.vertices({ fields: 1 }) as str[]).filter((id) => id.startsWith("v"));
}
`;

/** Between two requests of a client, so that the clients take little of the CPU. */
const PAUSE_MS = 20;

/** Sends a request to the dispatcher. */
export type Send = (path: string, init?: RequestInit) => Promise<DecodedResponse>;

let names = 0;

/** A name that is used once. */
export function freshName(prefix = ""): string {
  return `${prefix}${names++}`;
}

export function hitcount({ json }: DecodedResponse): number {
  return (json.response as { hitcount: number }).hitcount;
}

/** Clients that each send one request after the other until they are stopped. */
export class Clients {
  /** Of requests without any response. */
  readonly errors: string[] = [];
  #isOver = false;
  readonly #finished: Promise<void>[];

  /**
   * @param send a request, or several until it is told that no client waits for them
   * @param pauseMs between two requests of a client
   */
  constructor(count: number, send: (isOver: () => boolean) => Promise<void>, pauseMs = PAUSE_MS) {
    const isOver = (): boolean => this.#isOver;
    const sent = () =>
      send(isOver).catch((error: Error) => void this.errors.push(String(error.cause ?? error)));
    this.#finished = Array.from({ length: count }, async () => {
      for (; !this.#isOver; await delay(pauseMs)) await sent();
    });
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#finished);
  }
}

/** Runs with clients, and stops them even if it fails. */
export async function during(clients: readonly Clients[], run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
  }
  assert.equal(
    clients.flatMap(({ errors }) => errors),
    [],
  );
}

/** Clients that send changes until they are stopped. */
export class Load {
  readonly acknowledged: string[] = [];
  readonly statuses = new Map<number, number>();
  /** Bodies of other responses. */
  readonly failures: string[] = [];
  /** Longest time without an acknowledged change. */
  longestMs = 0;
  #lastMs = performance.now();
  readonly clients: Clients;
  readonly #send: Send;

  constructor(send: Send, pauseMs = PAUSE_MS) {
    this.#send = send;
    this.clients = new Clients(2, () => this.#change(), pauseMs);
  }

  begin(): void {
    this.longestMs = 0;
    this.#lastMs = performance.now();
  }

  async #change(): Promise<void> {
    const id = freshName("v");
    const { status, text } = await this.#send(`/svc/plugin/put?id=${id}`, POST);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status !== 200) return void this.failures.push(text);
    this.acknowledged.push(id);
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.#lastMs);
    this.#lastMs = now;
  }
}

const POST = { method: "POST", body: "" };

/** Clients that count with a key for each request; the answers are the counts. */
export class Sales {
  readonly acknowledged: number[] = [];
  readonly failures: string[] = [];
  /** Executed requests whose leader died between their change and their answer. */
  unacknowledged = 0;
  readonly clients: Clients;
  readonly #send: Send;

  constructor(send: Send, pauseMs = PAUSE_MS) {
    this.#send = send;
    this.clients = new Clients(2, (isOver) => this.#sell(isOver), pauseMs);
  }

  /** Each request was executed once: no count is twice, and only unanswered ones are missing. */
  assertOnce(): void {
    assert.equal(this.failures, []);
    const counts = [...this.acknowledged].sort((a, b) => a - b);
    assert.equal(counts, [...new Set(counts)], "no count twice");
    const total = counts.length + this.unacknowledged;
    assert.ok(counts.at(-1)! <= total, `${counts.at(-1)} of ${total}`);
  }

  async #sell(isOver: () => boolean): Promise<void> {
    const init = { ...POST, headers: { "Idempotency-Key": `"${freshName()}"` } };
    let response = await this.#send("/svc/plugin/sell", init);
    // On a busy machine, a takeover can last longer than a request waits for a leader.
    const isUndecided = () => response.status === 503 || /instance leads/.test(response.text);
    while (isUndecided()) {
      // Only a test that has failed does not wait for the next leader.
      if (isOver()) return;
      response = await this.#send("/svc/plugin/sell", init);
    }
    if (response.status === 200) this.acknowledged.push(hitcount(response));
    else if (response.text.includes("SVC3407")) this.unacknowledged++;
    else this.failures.push(response.text);
  }
}

// Brings back-ends that are down back into use: asks each for its health, at start, when it has
// failed a request, and then again and again until it answers. Those that are in use are not asked:
// their next request will tell.

import { PROBE_ANSWER_MS, PROBE_INTERVAL_MS } from "../base/limits.js";
import type { Answer } from "./answer-parser.js";
import type { BackEnd } from "./back-end.js";
import { Channel, type ChannelUser } from "./channel.js";
import type { Matrix } from "./matrix.js";

const HEALTHY = "SVC/3";

export class Health {
  readonly #matrix: Matrix;
  readonly #revived: () => void;
  readonly #probing = new Map<BackEnd, Probe>();
  #timer: NodeJS.Timeout | null = null;

  /** @param revived is told when a back-end can be used again */
  constructor(matrix: Matrix, revived: () => void) {
    this.#matrix = matrix;
    this.#revived = revived;
  }

  /** Resolves when each back-end has answered once, or failed to. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#probeAll(), PROBE_INTERVAL_MS);
    await Promise.all(this.#probeAll());
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const probe of this.#probing.values()) probe.cancel();
  }

  /** Asks a back-end now that has just failed: one slow answer must not cost it its next ones. */
  check(backEnd: BackEnd): void {
    if (this.#timer !== null && !this.#probing.has(backEnd)) void this.#probe(backEnd);
  }

  #probeAll(): Promise<void>[] {
    const probes: Promise<void>[] = [];
    for (const backEnd of this.#matrix.all()) {
      if (backEnd.isDefunct && !this.#probing.has(backEnd)) probes.push(this.#probe(backEnd));
    }
    return probes;
  }

  async #probe(backEnd: BackEnd): Promise<void> {
    const probe = new Probe(backEnd);
    this.#probing.set(backEnd, probe);
    const isHealthy = await probe.result;
    this.#probing.delete(backEnd);
    if (!isHealthy) return;
    backEnd.revive();
    this.#revived();
  }
}

/** One question, on a connection of its own. */
class Probe implements ChannelUser {
  readonly result: Promise<boolean>;
  readonly #channel: Channel;
  readonly #timer: NodeJS.Timeout;
  #resolve: (isHealthy: boolean) => void = () => {};

  constructor({ address }: BackEnd) {
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => this.cancel(), PROBE_ANSWER_MS);
    this.#channel = new Channel(0, address, "", () => {});
    const head = `GET /svc/hc HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`;
    this.#channel.send(head, null, this);
  }

  cancel(): void {
    this.#channel.abort();
    this.#end(false);
  }

  answered(channel: Channel, { status, body }: Answer): void {
    channel.abort();
    this.#end(status === 200 && body.toString("latin1") === HEALTHY);
  }

  failed(): void {
    this.#end(false);
  }

  #end(isHealthy: boolean): void {
    clearTimeout(this.#timer);
    this.#resolve(isHealthy);
  }
}

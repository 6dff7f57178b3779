// Requests that found no slot, in the order in which they came. Each port has a line for every
// lowest queue that requests may ask for: who may only take a few slots does not hold up those who
// may take any, but nobody takes a slot for which somebody else has waited longer.

import { Fifo } from "../base/fifo.js";
import { MAX_QUEUE } from "../base/limits.js";
import type { PluginCall } from "./plugin-call.js";

interface Waiting {
  readonly call: PluginCall;
  /** Lower ones came before. */
  readonly order: number;
}

export class WaitingCalls {
  size = 0;
  /** By port and lowest queue. */
  readonly #lines = [newLines(), newLines()] as const;
  #nextOrder = 1;
  #frontOrder = 0;

  /** True when a request that could use the same slots was here before. */
  isBefore(port: 0 | 1, minQueue: number): boolean {
    if (this.size === 0) return false;
    return this.#lines[port].some((line, queue) => queue <= minQueue && line.size > 0);
  }

  push(call: PluginCall): void {
    this.size++;
    this.#line(call).push({ call, order: this.#nextOrder++ });
  }

  /** Puts a request back before all others. */
  unshift(call: PluginCall): void {
    this.size++;
    this.#line(call).unshift({ call, order: this.#frontOrder-- });
  }

  *calls(): Generator<PluginCall> {
    for (const line of this.#lines.flat()) for (const { call } of line.items()) yield call;
  }

  /** Offers requests, first come first, to `take`, which says whether there was a slot. */
  offer(take: (call: PluginCall) => boolean): void {
    for (const lines of this.#lines) {
      let open = lines.filter((line) => line.size > 0);
      while (open.length > 0) {
        const line = open.reduce(earlier);
        if (take(line.peek()!.call)) {
          line.shift();
          this.size--;
        } else open = open.filter((other) => other !== line);
        if (line.size === 0) open = open.filter((other) => other !== line);
      }
    }
  }

  /** Takes out those that `isOver` names. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    const removed: PluginCall[] = [];
    if (this.size === 0) return removed;
    for (const line of this.#lines.flat()) {
      for (const waiting of line.clear()) {
        if (isOver(waiting.call)) removed.push(waiting.call);
        else line.push(waiting);
      }
    }
    this.size -= removed.length;
    return removed;
  }

  #line({ slots, minQueue }: PluginCall): Fifo<Waiting> {
    return this.#lines[slots][minQueue]!;
  }
}

function newLines(): Fifo<Waiting>[] {
  return Array.from({ length: MAX_QUEUE + 1 }, () => new Fifo<Waiting>());
}

function earlier(one: Fifo<Waiting>, other: Fifo<Waiting>): Fifo<Waiting> {
  return one.peek()!.order < other.peek()!.order ? one : other;
}

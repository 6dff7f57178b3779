// Requests that found no slot, in the order in which they came. Each port has a line for every
// lowest queue that requests may ask for: who may only take a few slots does not hold up those who
// may take any, but nobody takes a slot for which somebody else has waited longer.

import { Fifo } from "../base/fifo.js";
import { MAX_QUEUE } from "../base/limits.js";
import type { PluginCall } from "./plugin-call.js";

type Lines = readonly Fifo<PluginCall>[];

export class WaitingCalls {
  size = 0;
  /** By port and lowest queue. */
  readonly #lines: readonly [Lines, Lines] = [newLines(), newLines()];
  #nextPlace = 1;
  #frontPlace = 0;

  /** True when a request that could use the same slots was here before. */
  isBefore(port: 0 | 1, minQueue: number): boolean {
    if (this.size === 0) return false;
    const lines = this.#lines[port];
    for (let queue = 0; queue <= minQueue; queue++) if (lines[queue]!.size > 0) return true;
    return false;
  }

  push(call: PluginCall): void {
    this.size++;
    call.place = this.#nextPlace++;
    this.#lines[call.slots][call.minQueue]!.push(call);
  }

  /** Puts a request back before all others. */
  unshift(call: PluginCall): void {
    this.size++;
    call.place = this.#frontPlace--;
    this.#lines[call.slots][call.minQueue]!.unshift(call);
  }

  *calls(): Generator<PluginCall> {
    for (const line of this.#lines.flat()) yield* line.items();
  }

  /** Offers requests, first come first, to `take`, which says whether there was a slot. */
  offer(take: (call: PluginCall) => boolean): void {
    for (const lines of this.#lines) {
      // One bit a line whose first request found no slot.
      let closed = 0;
      for (let queue = first(lines, closed); queue >= 0; queue = first(lines, closed)) {
        const line = lines[queue]!;
        if (take(line.peek()!)) {
          line.shift();
          this.size--;
        } else closed |= 1 << queue;
      }
    }
  }

  /** Takes out those that `isOver` names. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    const removed: PluginCall[] = [];
    if (this.size === 0) return removed;
    for (const line of this.#lines.flat()) {
      for (const call of line.clear()) {
        if (isOver(call)) removed.push(call);
        else line.push(call);
      }
    }
    this.size -= removed.length;
    return removed;
  }
}

function newLines(): Lines {
  return Array.from({ length: MAX_QUEUE + 1 }, () => new Fifo<PluginCall>());
}

/** The open line whose first request has waited longest, -1 for none. */
function first(lines: Lines, closed: number): number {
  let found = -1;
  let place = Number.POSITIVE_INFINITY;
  for (let queue = 0; queue < lines.length; queue++) {
    if ((closed & (1 << queue)) !== 0) continue;
    const call = lines[queue]!.peek();
    if (call === undefined || call.place >= place) continue;
    found = queue;
    place = call.place;
  }
  return found;
}

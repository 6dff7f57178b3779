// Requests that found no slot. Each port has a line for every lowest queue that requests may ask
// for: who may only take a few slots does not hold up those who may take any, but the first of no
// line takes a slot for which the first of another one has waited longer.

import { MAX_QUEUE } from "../base/limits.js";
import { FairLine } from "./fair-line.js";
import type { PluginCall } from "./plugin-call.js";

type Lines = readonly FairLine[];

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

  /**
   * Offers requests, one client's after the other's, to `take`: it says whether there was a slot.
   */
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
    if (this.size === 0) return [];
    const removed = this.#lines.flat().flatMap((line) => line.remove(isOver));
    this.size -= removed.length;
    return removed;
  }
}

function newLines(): Lines {
  return Array.from({ length: MAX_QUEUE + 1 }, () => new FairLine());
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

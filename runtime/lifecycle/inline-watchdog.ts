// Sees to it that a plugin in the IO thread comes to its end, and what it leaves behind there, such
// as timers. Nobody can interrupt one that does not: then the process ends, with a line that says
// why, rather than be silent for ever.

import type { Routes } from "../plugin/contract/plugin-table.js";
import type { SharedState } from "../wire/shared-state.js";

const LOOK_MS = 1000;
/** So often the same call, or no further beat, is seen before the thread is given up. */
const LOOKS = 5;

export class InlineWatchdog {
  readonly #state: SharedState;
  readonly #hangs: (what: string, plugin: string) => void;
  #timer: NodeJS.Timeout | null = null;
  #routes: Routes = {};
  /** What was seen last: turns and beats, and how often. */
  #turn = 0;
  #turnLooks = 0;
  #beats = 0;
  #beatLooks = 0;

  /** @param hangs is told what does not return, and of which plugin */
  constructor(state: SharedState, hangs: (what: string, plugin: string) => void) {
    this.#state = state;
    this.#hangs = hangs;
  }

  /** Looks after the plugins in service, if one of them is inline. */
  watch(routes: Routes): void {
    this.#routes = routes;
    const hasInline = Object.values(routes).some(({ inline }) => inline);
    if (!hasInline || this.#timer !== null) return;
    this.#timer = setInterval(() => this.#poll(), LOOK_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #poll(): void {
    const { turn, plugin } = this.#state.inlineCall;
    const { beats } = this.#state;
    const isInside = turn % 2 === 1;
    this.#turnLooks = isInside && turn === this.#turn ? this.#turnLooks + 1 : 0;
    this.#beatLooks = beats !== 0 && beats === this.#beats ? this.#beatLooks + 1 : 0;
    [this.#turn, this.#beats] = [turn, beats];
    const name = this.#nameOf(plugin);
    if (this.#turnLooks >= LOOKS) {
      this.#hangs(`plugin ${name} is @inline and does not return`, name);
    } else if (this.#beatLooks >= LOOKS && !isInside) {
      const what = "what an @inline plugin has left in the thread of the sockets does not return";
      this.#hangs(turn === 0 ? what : `${what}, ${name} was the last that ran`, name);
    }
  }

  #nameOf(plugin: number): string {
    const found = Object.entries(this.#routes).find(([, { engine }]) => engine === plugin);
    return found === undefined ? String(plugin) : found[0].slice("/svc/plugin/".length);
  }
}

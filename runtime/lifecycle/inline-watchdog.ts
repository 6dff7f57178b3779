// Watchdog of inline plugins in the IO thread, and of code they leave there, such as timers. Code
// that does not return cannot be interrupted: the process logs the reason and exits instead of
// hanging.

import type { SharedState } from "../base/wire/shared-state.js";
import type { Routes } from "../plugin/contract/plugin-table.js";

const POLL_MS = 1000;
/** Polls without progress after which the thread counts as stuck. */
const MAX_STALLED_POLLS = 5;

export class InlineWatchdog {
  readonly #state: SharedState;
  readonly #onStuck: (problem: string, plugin: string) => void;
  #timer: NodeJS.Timeout | null = null;
  #routes: Routes = {};
  /** Last observed turn and heartbeat, and the number of polls without progress. */
  #turn = 0;
  #turnPolls = 0;
  #beats = 0;
  #beatPolls = 0;

  /** @param onStuck called with the problem and the plugin */
  constructor(state: SharedState, onStuck: (problem: string, plugin: string) => void) {
    this.#state = state;
    this.#onStuck = onStuck;
  }

  /** Watches the plugins in service, if one of them is inline. */
  watch(routes: Routes): void {
    this.#routes = routes;
    const hasInline = Object.values(routes).some(({ inline }) => inline);
    if (!hasInline || this.#timer !== null) return;
    this.#timer = setInterval(() => this.#poll(), POLL_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #poll(): void {
    const { turn, plugin } = this.#state.inlineCall;
    const { beats } = this.#state;
    const isInside = turn % 2 === 1;
    this.#turnPolls = isInside && turn === this.#turn ? this.#turnPolls + 1 : 0;
    this.#beatPolls = beats !== 0 && beats === this.#beats ? this.#beatPolls + 1 : 0;
    [this.#turn, this.#beats] = [turn, beats];
    const name = this.#findName(plugin);
    if (this.#turnPolls >= MAX_STALLED_POLLS) {
      this.#onStuck(`@inline plugin ${name} does not return`, name);
    } else if (this.#beatPolls >= MAX_STALLED_POLLS && !isInside) {
      const problem = "code left on the IO thread by an @inline plugin does not return";
      this.#onStuck(turn === 0 ? problem : `${problem}, ${name} was the last that ran`, name);
    }
  }

  #findName(plugin: number): string {
    const found = Object.entries(this.#routes).find(([, { engine }]) => engine === plugin);
    return found === undefined ? String(plugin) : found[0].slice("/svc/plugin/".length);
  }
}

// Sees to it that a plugin in the IO thread comes to its end. Nobody can interrupt one that does
// not: then the process ends, with a line that says why, rather than be silent for ever.

import type { Routes } from "../plugin/contract/plugin-table.js";
import type { SharedState } from "../wire/shared-state.js";

const LOOK_MS = 1000;
/** So often the same call is seen before the thread is given up. */
const LOOKS = 5;

export class InlineWatch {
  readonly #state: SharedState;
  readonly #hangs: (plugin: string) => void;
  #timer: NodeJS.Timeout | null = null;
  #routes: Routes = {};
  #seen = 0;
  #looks = 0;

  /** @param hangs is told the plugin that does not return */
  constructor(state: SharedState, hangs: (plugin: string) => void) {
    this.#state = state;
    this.#hangs = hangs;
  }

  /** Looks after the plugins in service, if one of them is inline. */
  watch(routes: Routes): void {
    this.#routes = routes;
    const hasInline = Object.values(routes).some(({ inline }) => inline);
    if (!hasInline || this.#timer !== null) return;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #look(): void {
    const { turn, plugin } = this.#state.inlineCall;
    const isInside = turn % 2 === 1;
    this.#looks = isInside && turn === this.#seen ? this.#looks + 1 : 0;
    this.#seen = turn;
    if (this.#looks < LOOKS) return;
    const found = Object.entries(this.#routes).find(([, { engine }]) => engine === plugin);
    this.#hangs(found === undefined ? String(plugin) : found[0].slice("/svc/plugin/".length));
  }
}

// Counts the requests of a scheduler that may change graphs, so that a leader can hand over without
// failing any of them.

import type { CommitClock } from "../graph/manager/logging-entry-points.js";
import type { PluginCall } from "./plugin-call.js";

export class ChangesInProgress {
  readonly #clock: CommitClock | null;
  readonly #scheduler: number;
  readonly #calls = new Set<PluginCall>();

  /** @param scheduler number of the scheduler in this process */
  constructor(clock: CommitClock | null, scheduler: number) {
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  /** Counts a request; returns false if this instance no longer leads its group. */
  begin(call: PluginCall): boolean {
    this.#calls.add(call);
    this.#clock?.setChanges(this.#scheduler, this.#calls.size);
    // Counted before the check: a leader that hands over waits for it, or is detected here.
    const role = this.#clock?.group.role ?? "none";
    if (role === "none" || role === "leading") return true;
    this.end(call);
    return false;
  }

  /** Ends a request; no effect if it has ended before. */
  end(call: PluginCall): void {
    if (!this.#calls.delete(call)) return;
    this.#clock?.setChanges(this.#scheduler, this.#calls.size);
    call.releaseKey?.();
  }
}

// Counts the requests of a scheduler that may change graphs, so that a leader can hand over without
// failing one.

import type { CommitClock } from "../graph/manager/logging-entry-points.js";
import type { PluginCall } from "./plugin-call.js";

export class ChangesInProgress {
  readonly #clock: CommitClock | null;
  readonly #scheduler: number;
  readonly #calls = new Set<PluginCall>();

  /** @param scheduler its number in this process */
  constructor(clock: CommitClock | null, scheduler: number) {
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  /** Returns false, and counts nothing, if this instance does not lead its group any more. */
  begin(call: PluginCall): boolean {
    this.#calls.add(call);
    this.#clock?.setChanges(this.#scheduler, this.#calls.size);
    // Counted before it looks: a leader that hands over waits for it, or is seen here.
    const role = this.#clock?.group.role ?? "none";
    if (role === "none" || role === "leading") return true;
    this.end(call);
    return false;
  }

  /** Ends a request, unless it has ended. */
  end(call: PluginCall): void {
    if (!this.#calls.delete(call)) return;
    this.#clock?.setChanges(this.#scheduler, this.#calls.size);
    call.releaseKey?.();
  }
}

// Admin operations that the main thread executes for clients, until their outcomes arrive.

import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { ControlOutcome, IoNotification } from "./io-control.js";

export class PendingControlRequests {
  readonly #notify: (notice: IoNotification) => void;
  readonly #waiting = new Map<number, (outcome: ControlOutcome) => void>();
  #count = 0;

  constructor(notify: (notice: IoNotification) => void) {
    this.#notify = notify;
  }

  ask(operation: string, args: ControlArguments): Promise<unknown> {
    const number = this.#count++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, (outcome) => {
        if ("value" in outcome) resolve(outcome.value);
        else reject(new Error(outcome.failure));
      });
      this.#notify({ notice: "control", number, operation, args });
    });
  }

  settle(number: number, outcome: ControlOutcome): void {
    this.#waiting.get(number)?.(outcome);
    this.#waiting.delete(number);
  }
}

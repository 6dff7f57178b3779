// Which run has taken an instance out. Each has a number of its own, which it leaves there as the
// reason: a run that was killed is told from one that is at work by what happens next.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AdminContext } from "../context.js";
import { operate } from "../remote.js";
import { type Dict, nodestatOf, stopped } from "./instances.js";

const REASON = "rolling update";
/** Longer than a run that lives leaves an instance as it is, but for requests that do not end. */
const PATIENCE_MS = 10_000;
const POLL_MS = 250;

/** Whether some run has taken it out. */
export function isClaimed(told: Dict): boolean {
  return told["service-in"] !== 1 && String(told["service-out-reason"]).startsWith(REASON);
}

export class Claim {
  readonly #context: AdminContext;
  readonly #own = `${REASON} ${randomBytes(4).toString("hex")}`;

  constructor(context: AdminContext) {
    this.#context = context;
  }

  /** Takes an instance out of service. */
  async take(id: string): Promise<void> {
    await operate(this.#context.address(id), "ServiceOut", { reason: this.#own });
  }

  /**
   * Takes an instance from a run that is no more.
   * @throws SvcError SVC3119 when that one is at work
   */
  async takeOver(id: string): Promise<void> {
    const former = await this.#reason(id);
    const deadline = performance.now() + PATIENCE_MS;
    while (former.startsWith(`${REASON} `) && performance.now() < deadline) {
      await sleep(POLL_MS);
      if ((await this.#reason(id)) !== former) throw this.#contested(id);
    }
    await this.take(id);
  }

  /** @throws SvcError SVC3119 when another run, or an operator, has had it since */
  async require(id: string): Promise<void> {
    if ((await this.#reason(id)) !== this.#own) throw this.#contested(id);
  }

  async #reason(id: string): Promise<string> {
    return String((await nodestatOf(this.#context, id))["service-out-reason"]);
  }

  #contested(id: string) {
    return stopped(`somebody else is updating ${id}`);
  }
}

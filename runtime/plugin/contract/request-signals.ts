// Tells plugins that nobody waits for their answer any more. A signal exists only where a plugin
// has asked for it.

export class RequestSignals {
  readonly #controllers = new Map<number, AbortController>();

  /** That of a request that runs. */
  of(serial: number): AbortSignal {
    let controller = this.#controllers.get(serial);
    if (controller === undefined) {
      controller = new AbortController();
      this.#controllers.set(serial, controller);
    }
    return controller.signal;
  }

  /** @param name `AbortError` where the client is gone, `TimeoutError` where its time is up */
  abort(serial: number, name: "AbortError" | "TimeoutError"): void {
    const text = name === "AbortError" ? "the client is gone" : "the time of the request is up";
    this.#controllers.get(serial)?.abort(new DOMException(text, name));
  }

  /** The request has its answer. */
  forget(serial: number): void {
    if (this.#controllers.size > 0) this.#controllers.delete(serial);
  }
}

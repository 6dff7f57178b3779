// Tells a plugin that nobody waits for its answer any more. It belongs to one request, so that
// nothing is left of it; a controller exists only where a plugin has asked for it.

const REASONS = {
  AbortError: "client disconnected",
  TimeoutError: "request deadline exceeded",
};

export class RequestSignal {
  #controller: AbortController | null = null;
  /** What a signal that is asked for only now aborts with. */
  #reason: DOMException | null = null;
  #isOver = false;

  get(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      const reason = this.#reason ?? (this.#isOver ? overReason() : null);
      if (reason !== null) this.#controller.abort(reason);
    }
    return this.#controller.signal;
  }

  /** @param name `AbortError` where the client is gone, `TimeoutError` where its time is up */
  abort(name: keyof typeof REASONS): void {
    if (this.#isOver || this.#reason !== null) return;
    this.#reason = new DOMException(REASONS[name], name);
    this.#controller?.abort(this.#reason);
  }

  /** The request has its answer: a signal that was given before does not abort any more. */
  over(): void {
    this.#isOver = true;
  }
}

function overReason(): DOMException {
  return new DOMException("request has completed", "AbortError");
}

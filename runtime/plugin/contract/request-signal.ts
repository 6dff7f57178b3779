// Aborts a plugin's signal when its response is no longer needed. There is one per request, so that
// nothing outlives it; the controller is created only when a plugin requests the signal.

const REASONS = {
  AbortError: "client disconnected",
  TimeoutError: "request deadline exceeded",
};

export class RequestSignal {
  #controller: AbortController | null = null;
  /** Why the request was aborted before the signal was requested. */
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

  /** @param name `AbortError` when the client disconnected, `TimeoutError` at the deadline */
  abort(name: keyof typeof REASONS): void {
    if (this.#isOver || this.#reason !== null) return;
    this.#reason = new DOMException(REASONS[name], name);
    this.#controller?.abort(this.#reason);
  }

  /** Marks the request as completed, so that its signal no longer aborts. */
  over(): void {
    this.#isOver = true;
  }
}

function overReason(): DOMException {
  return new DOMException("request has completed", "AbortError");
}

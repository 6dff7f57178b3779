// What all graphs of a process share with the thread that writes the log: tickets that put their
// units in order, and the numbers of flushes, which tell when a change is durable.
//
// A flush that begins raises `Started` before it looks at any ring. So what a thread has committed
// is durable with flush `Started + 1` at the latest, whatever `Started` it reads afterwards.

const Word = {
  /** Given last. */
  Ticket: 0,
  /** 1 while the log thread sleeps and has to be woken. */
  Sleeps: 16,
  Started: 17,
  Done: 18,
  /** Flush that somebody waits for. */
  Wanted: 19,
  /** 1 when the log takes nothing more. */
  Failed: 20,
  /** 1: requests are not answered before what they did is durable. */
  HoldsAnswers: 21,
} as const;
const WORDS = 32;
/** Who is held up looks for a failure this often. */
const WAIT_MS = 50;

export class CommitClock {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(buffer = new SharedArrayBuffer(WORDS * 4)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** True if requests are not to be answered before what they did is durable. */
  get gatesResponses(): boolean {
    return this.#words[Word.HoldsAnswers] === 1;
  }

  set gatesResponses(holds: boolean) {
    Atomics.store(this.#words, Word.HoldsAnswers, holds ? 1 : 0);
  }

  /** One more than all before. */
  nextTicket(): number {
    return (Atomics.add(this.#words, Word.Ticket, 1) + 1) >>> 0;
  }

  get lastTicket(): number {
    return Atomics.load(this.#words, Word.Ticket) >>> 0;
  }

  /** To be called after something was committed, behind a barrier: the log thread may sleep. */
  wake(): void {
    if (this.#words[Word.Sleeps] === 0) return;
    if (Atomics.exchange(this.#words, Word.Sleeps, 0) === 1)
      Atomics.notify(this.#words, Word.Sleeps);
  }

  /**
   * For the log thread: resolves when something was committed or is wanted. `hasWork` is asked once
   * more when writers know already that they have to wake it.
   */
  async sleep(hasWork: () => boolean): Promise<void> {
    Atomics.store(this.#words, Word.Sleeps, 1);
    if (hasWork()) {
      this.wake();
      return;
    }
    await Atomics.waitAsync(this.#words, Word.Sleeps, 1).value;
  }

  /** For the log thread: resolves after so long, or as soon as somebody waits for a flush. */
  async pause(ms: number): Promise<void> {
    const wanted = Atomics.load(this.#words, Word.Wanted);
    if (!this.isRequested) await Atomics.waitAsync(this.#words, Word.Wanted, wanted, ms).value;
  }

  /** A flush begins; returns its number. */
  start(): number {
    return (Atomics.add(this.#words, Word.Started, 1) + 1) >>> 0;
  }

  /** Everything up to a flush is durable. */
  finish(flush: number): void {
    Atomics.store(this.#words, Word.Done, flush | 0);
    Atomics.notify(this.#words, Word.Done);
  }

  /** Number of the flush with which everything is durable that was committed so far. */
  get next(): number {
    return (Atomics.load(this.#words, Word.Started) + 1) >>> 0;
  }

  isDone(flush: number): boolean {
    return ((Atomics.load(this.#words, Word.Done) - flush) | 0) >= 0;
  }

  /** True while somebody waits for more than was done. */
  get isRequested(): boolean {
    return !this.isDone(Atomics.load(this.#words, Word.Wanted) >>> 0);
  }

  get hasFailed(): boolean {
    return Atomics.load(this.#words, Word.Failed) === 1;
  }

  /** From now on nothing becomes durable any more. */
  fail(): void {
    Atomics.store(this.#words, Word.Failed, 1);
    Atomics.notify(this.#words, Word.Failed);
    Atomics.notify(this.#words, Word.Done);
    this.wake();
  }

  /** Resolves when the log takes nothing more. */
  async failed(): Promise<void> {
    await Atomics.waitAsync(this.#words, Word.Failed, 0).value;
  }

  /** Resolves when a flush is done, or the log has failed: false. */
  async wait(flush: number): Promise<boolean> {
    for (;;) {
      const done = Atomics.load(this.#words, Word.Done);
      if (((done - flush) | 0) >= 0) return true;
      this.#want(flush);
      const isOver = Atomics.waitAsync(this.#words, Word.Done, done).value;
      // A failure changes nothing of `Done`: one that came before would not be heard of.
      if (this.hasFailed) return false;
      await isOver;
    }
  }

  /** As `wait`, but holds the thread up; false also when it takes too long. */
  waitNow(flush: number, timeoutMs: number): boolean {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      const done = Atomics.load(this.#words, Word.Done);
      if (((done - flush) | 0) >= 0) return true;
      this.#want(flush);
      const left = giveUpAt - performance.now();
      if (this.hasFailed || left <= 0) return false;
      Atomics.wait(this.#words, Word.Done, done, Math.min(left, WAIT_MS));
    }
  }

  #want(flush: number): void {
    for (;;) {
      const wanted = Atomics.load(this.#words, Word.Wanted);
      if (((wanted - flush) | 0) >= 0) break;
      if (Atomics.compareExchange(this.#words, Word.Wanted, wanted, flush | 0) !== wanted) continue;
      Atomics.notify(this.#words, Word.Wanted);
      break;
    }
    this.wake();
  }
}

// State shared by all graphs of a process and the log thread: tickets that order transactions
// across graphs, and flush numbers by which threads wait until a commit is durable (group commit).
//
// A flush increments `Started` before it reads any ring. A commit is therefore durable with flush
// `Started + 1` at the latest, for any value of `Started` read after the commit.
//
// A flush is done when this process has written it. It is confirmed when every instance that must
// store its transactions has stored them: at once, unless this instance leads a group.

const Word = {
  /** Last ticket issued. */
  Ticket: 0,
  /** 1 while the log thread sleeps and must be woken. */
  IsAsleep: 16,
  Started: 17,
  Done: 18,
  /** Highest flush that a thread waits for. */
  Requested: 19,
  /** `LogState`. */
  State: 20,
  /** 1: responses are held until their changes are durable. */
  GatesResponses: 21,
  /** 1 while the disk has little space left. */
  Low: 22,
  /** Number of joint publications that have begun. */
  Joints: 23,
  /** Last durable transaction of each log, in 64 bits. */
  Durable: 24,
  Confirmed: 28,
  /** Last abandoned flush: flushes up to it that are not confirmed yet never will be. */
  Abandoned: 29,
  GroupRole: 30,
  GroupEpoch: 31,
  /** By scheduler: requests in progress that may change graphs; counted only in a group. */
  Changes: 32,
  /** State before flushes were last abandoned: last confirmed flush, last abandoned flush. */
  FormerConfirmed: 36,
  FormerAbandoned: 37,
  /** Changes announced before their responses were recorded, and responses recorded since. */
  Announced: 40,
  Answered: 44,
  /** A bit of each thread: set while it publishes transactions of several graphs together. */
  Publishing: 48,
  /** By thread: ticket of its first change whose response is not recorded yet; 0: none. */
  Unanswered: 48 + 8,
} as const;
/** While the log is full or has failed, changes are refused, and committed ones are not durable. */
const LogState = { Good: 0, Full: 1, Failed: 2 } as const;
const THREADS = 256;
const PUBLISHING_WORDS = THREADS / 32;
const WORDS = Word.Unanswered + THREADS;
/** The log of replicated graphs, and that of local ones. */
const LOGS = 2;
/** Schedulers that count their changes. */
const SCHEDULERS = 3;
/** Keeps comparisons of flush numbers, which wrap, valid. */
const MAX_FLUSH_DISTANCE = 2 ** 30;
/** Role of the instance in a group that elects its leader. */
const GROUP_ROLES = ["none", "leading", "readonly", "refusing", "following"] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];
/** Attempts to read between joint publications, which take microseconds. */
const MAX_ATTEMPTS = 1000;
/** Blocked threads check for a failure this often. */
const WAIT_MS = 50;

export class CommitClock {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  /** By log: sequence number of its last durable transaction. */
  readonly #durable: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(WORDS * 4)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#durable = new BigInt64Array(buffer, Word.Durable * 4, LOGS);
  }

  /** True if responses must wait until their changes are durable. */
  get gatesResponses(): boolean {
    return this.#words[Word.GatesResponses] === 1;
  }

  set gatesResponses(holds: boolean) {
    Atomics.store(this.#words, Word.GatesResponses, holds ? 1 : 0);
  }

  /** Returns a ticket greater than all before. */
  nextTicket(): number {
    return (Atomics.add(this.#words, Word.Ticket, 1) + 1) >>> 0;
  }

  get lastTicket(): number {
    return Atomics.load(this.#words, Word.Ticket) >>> 0;
  }

  /** Marks the beginning and the end of a joint publication by a thread. */
  setPublishing(thread: number, isPublishing: boolean): void {
    const [word, bit] = [Word.Publishing + (thread >>> 5), 1 << (thread & 31)];
    if (isPublishing) Atomics.or(this.#words, word, bit);
    else Atomics.and(this.#words, word, ~bit);
    if (isPublishing) Atomics.add(this.#words, Word.Joints, 1);
  }

  /**
   * Log thread only: runs `read`, which reads the published units of all rings, again until no
   * joint publication overlaps it. Returns null if a joint publication does not end.
   */
  readBetweenJoints<T>(read: () => T): T | null {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const seen = Atomics.load(this.#words, Word.Joints);
      if (this.#isPublishing) continue;
      const result = read();
      if (!this.#isPublishing && Atomics.load(this.#words, Word.Joints) === seen) return result;
    }
    return null;
  }

  get #isPublishing(): boolean {
    const words = this.#words;
    for (let word: number = Word.Publishing; word < Word.Publishing + PUBLISHING_WORDS; word++) {
      if (Atomics.load(words, word) !== 0) return true;
    }
    return false;
  }

  /**
   * Announces a change of a thread: the response of its request will be recorded in a later commit.
   * @param ticket lowest ticket among such changes of the thread
   */
  announce(thread: number, ticket: number): void {
    Atomics.store(this.#words, Word.Unanswered + thread, ticket | 0 || 1);
    Atomics.add(this.#words, Word.Announced, 1);
  }

  /** @param ticket lowest ticket among changes whose responses are not recorded yet; 0: none */
  answered(thread: number, ticket: number): void {
    Atomics.store(this.#words, Word.Unanswered + thread, ticket | 0);
    Atomics.add(this.#words, Word.Answered, 1);
    Atomics.notify(this.#words, Word.Answered);
  }

  /** Forgets the announced changes of a dead thread, whose responses will never be recorded. */
  forgetAnnounced(thread: number): void {
    const word = Word.Unanswered + thread;
    if (Atomics.load(this.#words, word) !== 0) this.answered(thread, 0);
  }

  get announcedCount(): number {
    return Atomics.load(this.#words, Word.Announced);
  }

  get answeredCount(): number {
    return Atomics.load(this.#words, Word.Answered);
  }

  /** Resolves when more responses than `seen` have been recorded, or after `ms`. */
  async waitForResponses(seen: number, ms: number): Promise<void> {
    await Atomics.waitAsync(this.#words, Word.Answered, seen, ms).value;
  }

  /** Returns the threads with changes whose responses are not recorded, and the lowest tickets. */
  unanswered(): (readonly [thread: number, ticket: number])[] {
    const open: [number, number][] = [];
    if (this.announcedCount === this.answeredCount) return open;
    for (let thread = 0; thread < THREADS; thread++) {
      const ticket = Atomics.load(this.#words, Word.Unanswered + thread);
      if (ticket !== 0) open.push([thread, ticket]);
    }
    return open;
  }

  /** Wakes the log thread if it sleeps. Call it after a commit, behind a barrier. */
  wake(): void {
    if (this.#words[Word.IsAsleep] === 0) return;
    if (Atomics.exchange(this.#words, Word.IsAsleep, 0) === 1)
      Atomics.notify(this.#words, Word.IsAsleep);
  }

  /**
   * Log thread only: resolves when a transaction was committed or a flush requested. `hasWork` is
   * called after writers can see that the log thread sleeps, which closes the race with a commit.
   */
  async sleep(hasWork: () => boolean): Promise<void> {
    Atomics.store(this.#words, Word.IsAsleep, 1);
    if (hasWork()) {
      this.wake();
      return;
    }
    await Atomics.waitAsync(this.#words, Word.IsAsleep, 1).value;
  }

  /** Log thread only: resolves after `ms`, or as soon as a flush is requested. */
  async pause(ms: number): Promise<void> {
    const requested = Atomics.load(this.#words, Word.Requested);
    if (!this.isRequested)
      await Atomics.waitAsync(this.#words, Word.Requested, requested, ms).value;
  }

  /** Starts a flush and returns its number. */
  start(): number {
    return (Atomics.add(this.#words, Word.Started, 1) + 1) >>> 0;
  }

  /** Publishes that everything up to a flush is durable. */
  finish(flush: number): void {
    Atomics.store(this.#words, Word.Done, flush | 0);
    Atomics.notify(this.#words, Word.Done);
  }

  /** Publishes that all instances that must store the changes up to a flush have stored them. */
  confirm(flush: number): void {
    const distance = (flush - Atomics.load(this.#words, Word.Abandoned)) | 0;
    if (distance > MAX_FLUSH_DISTANCE) {
      // No thread waits for a flush that old.
      const old = flush - MAX_FLUSH_DISTANCE / 2;
      this.#abandon(old, old);
    }
    Atomics.store(this.#words, Word.Confirmed, flush | 0);
    Atomics.notify(this.#words, Word.Confirmed);
  }

  /** Log thread only: abandons all commits that are not confirmed yet. */
  abandon(): void {
    this.#abandon(this.start() | 0, Atomics.load(this.#words, Word.Abandoned));
    Atomics.notify(this.#words, Word.Confirmed);
  }

  /** Threads read these words in the opposite order, so no abandoned flush ever looks confirmed. */
  #abandon(flush: number, former: number): void {
    const confirmed = Atomics.load(this.#words, Word.Confirmed);
    Atomics.store(this.#words, Word.FormerAbandoned, former);
    Atomics.store(this.#words, Word.FormerConfirmed, confirmed);
    Atomics.store(this.#words, Word.Abandoned, flush);
  }

  /** Publishes how many changes a scheduler has in progress. */
  setChanges(scheduler: number, count: number): void {
    Atomics.store(this.#words, Word.Changes + scheduler, count);
  }

  /** Requests in progress that may change graphs. */
  get changes(): number {
    let count = 0;
    for (let index = 0; index < SCHEDULERS; index++) {
      count += Atomics.load(this.#words, Word.Changes + index);
    }
    return count;
  }

  get isInGroup(): boolean {
    return this.#words[Word.GroupRole] !== 0;
  }

  /** Role of the instance in its group, and the epoch it last saw. */
  get group(): { readonly role: GroupRole; readonly epoch: number } {
    const role = GROUP_ROLES[Atomics.load(this.#words, Word.GroupRole)]!;
    return { role, epoch: this.#words[Word.GroupEpoch]! };
  }

  setGroup(role: GroupRole, epoch: number): void {
    Atomics.store(this.#words, Word.GroupEpoch, epoch);
    Atomics.store(this.#words, Word.GroupRole, GROUP_ROLES.indexOf(role));
  }

  /** Number of the flush that makes everything committed so far durable. */
  get nextFlush(): number {
    return (Atomics.load(this.#words, Word.Started) + 1) >>> 0;
  }

  isDone(flush: number): boolean {
    return ((Atomics.load(this.#words, Word.Done) - flush) | 0) >= 0;
  }

  /** True while a thread waits for a flush that is not done. */
  get isRequested(): boolean {
    return !this.isDone(Atomics.load(this.#words, Word.Requested) >>> 0);
  }

  /** True while the disk of the log has little space left. */
  get isLow(): boolean {
    return this.#words[Word.Low] === 1;
  }

  set isLow(isLow: boolean) {
    Atomics.store(this.#words, Word.Low, isLow ? 1 : 0);
  }

  /** True while the log cannot be written. */
  get refusesChanges(): boolean {
    return this.#words[Word.State] !== LogState.Good;
  }

  /** True while the disk of the log is full. */
  get isFull(): boolean {
    return this.#words[Word.State] === LogState.Full;
  }

  get hasFailed(): boolean {
    return Atomics.load(this.#words, Word.State) === LogState.Failed;
  }

  /** Marks the disk of the log as full: commits wait until there is space. */
  fill(): void {
    Atomics.store(this.#words, Word.State, LogState.Full);
    this.wake();
  }

  /** Marks the log as failed: threads that wait for a flush give up. */
  fail(): void {
    Atomics.store(this.#words, Word.State, LogState.Failed);
    Atomics.notify(this.#words, Word.Done);
    Atomics.notify(this.#words, Word.Confirmed);
    this.wake();
  }

  /** The log can be written again. */
  recover(): void {
    Atomics.store(this.#words, Word.State, LogState.Good);
  }

  /** Returns the sequence number of the last durable transaction of a log. */
  durableSn(log: number): number {
    return Number(Atomics.load(this.#durable, log));
  }

  /** Log thread only: publishes the last durable transaction of a log, before `finish`. */
  setDurableSn(log: number, sn: number): void {
    Atomics.store(this.#durable, log, BigInt(sn));
  }

  /** Number of the last flush that is done. */
  get lastDone(): number {
    return Atomics.load(this.#words, Word.Done);
  }

  /** Resolves after a flush later than `seen`, or after `ms`. */
  async afterFlush(seen: number, ms: number): Promise<void> {
    await Atomics.waitAsync(this.#words, Word.Done, seen, ms).value;
  }

  isConfirmed(flush: number): boolean {
    return this.#isOver(Word.Confirmed, flush) === true;
  }

  /** Resolves to true when a flush is done, to false if the log has failed. */
  wait(flush: number): Promise<boolean> {
    return this.#wait(Word.Done, flush);
  }

  /** Resolves to true when a flush is confirmed, to false if it never will be. */
  waitConfirmed(flush: number): Promise<boolean> {
    return this.#wait(Word.Confirmed, flush);
  }

  async #wait(word: number, flush: number): Promise<boolean> {
    for (;;) {
      const reached = Atomics.load(this.#words, word);
      const isOver = this.#isOver(word, flush);
      if (isOver !== null) return isOver;
      this.#request(flush);
      const changed = Atomics.waitAsync(this.#words, word, reached).value;
      // Neither a failure nor an abandonment changes the word.
      if (this.hasFailed) return false;
      if (this.#isOver(word, flush) !== null) continue;
      await changed;
    }
  }

  /** Blocking variant of `wait`; also returns false at the timeout. */
  waitBlocking(flush: number, timeoutMs: number): boolean {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      const done = Atomics.load(this.#words, Word.Done);
      if (((done - flush) | 0) >= 0) return true;
      this.#request(flush);
      const left = giveUpAt - performance.now();
      if (this.hasFailed || left <= 0) return false;
      Atomics.wait(this.#words, Word.Done, done, Math.min(left, WAIT_MS));
    }
  }

  /** Returns whether a flush is done or confirmed, or will never be (false); null: not yet. */
  #isOver(word: number, flush: number): boolean | null {
    // Read before `Abandoned`: confirmations after an abandonment are for later flushes only.
    const isReached = this.#isAt(word, flush);
    if (word === Word.Confirmed && this.#isAt(Word.Abandoned, flush)) {
      // The flush may have been confirmed before later ones were abandoned.
      return this.#isAt(Word.FormerConfirmed, flush) && !this.#isAt(Word.FormerAbandoned, flush);
    }
    return isReached ? true : null;
  }

  #isAt(word: number, flush: number): boolean {
    return ((Atomics.load(this.#words, word) - flush) | 0) >= 0;
  }

  #request(flush: number): void {
    for (;;) {
      const requested = Atomics.load(this.#words, Word.Requested);
      if (((requested - flush) | 0) >= 0) break;
      if (Atomics.compareExchange(this.#words, Word.Requested, requested, flush | 0) !== requested)
        continue;
      Atomics.notify(this.#words, Word.Requested);
      break;
    }
    this.wake();
  }
}

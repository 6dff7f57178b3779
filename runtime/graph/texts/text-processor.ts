// Builds the text indexes of a graph in the one thread that maintains graphs, in small steps, so
// that the thread's requests get their turn. If a builder dies, the next one frees its block; what
// it has published stays.

import type { LogLine } from "../../base/log-settings.js";
import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import { CapacityError, ValueError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { isPinnedBefore } from "./pins.js";
import { TextBuilder } from "./text-builder.js";
import { RESTART_VERSION } from "./text-layout.js";

const TICK_MS = 100;
const SLICE_MS = 2;
/** A failed builder is retried, because memory may be free or a package installed by then. */
const RETRY_MS = 10_000;

interface Failure {
  readonly builder: TextBuilder;
  readonly message: string;
  readonly retryAt: number;
}

export class TextProcessor extends TimeSlicedTask {
  readonly #store: GraphStore;
  readonly #log: LogLine;
  readonly #retryMs: number;
  readonly #builders = new Map<number, TextBuilder>();
  /** Builders that failed, by index. */
  readonly #failures = new Map<number, Failure>();
  #work: Generator<undefined, void, void> | null = null;
  #hasFreed = false;

  /** @param log receives a line when an index cannot be built further */
  constructor(store: GraphStore, log: LogLine, retryMs = RETRY_MS) {
    super(TICK_MS);
    this.#store = store;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  /**
   * Works for a time slice; false if nothing is left to do.
   * @param isComplete whether even small amounts of work are done now
   */
  run(limitMs: number, isComplete = true): boolean {
    const giveUpAt = performance.now() + limitMs;
    this.#work ??= this.#all(isComplete);
    do {
      if (this.#work.next().done !== true) continue;
      this.#work = null;
      return false;
    } while (performance.now() < giveUpAt);
    return true;
  }

  protected slice(): boolean {
    const { memory, texts } = this.#store;
    if (memory.isRemoved) return false;
    if (this.#work === null && texts.isEmpty && texts.retiredEpoch < 0) return false;
    return this.run(SLICE_MS, false);
  }

  *#all(isComplete: boolean): Generator<undefined, void, void> {
    const { texts, writer } = this.#store;
    if (!this.#hasFreed) writer.mutate(() => texts.freeAbandoned());
    this.#hasFreed = true;
    if (texts.serial >= RESTART_VERSION) {
      writer.mutate(() => texts.dropSegments());
      writer.mutate(() => texts.restartVersions());
    }
    this.#freeRetired();
    for (const index of texts.indexes()) {
      const builder = this.#builderFor(index);
      if (builder !== null) yield* this.#build(index, builder, isComplete);
      this.#freeRetired();
    }
  }

  /** Runs a builder. A failure does not prevent other indexes from being built. */
  *#build(index: number, builder: TextBuilder, isComplete: boolean): Generator<undefined> {
    const failure = this.#failures.get(index);
    const isKnown = failure?.builder === builder;
    if (isKnown && !isComplete && performance.now() < failure.retryAt) return;
    try {
      yield* builder.run(isComplete);
      this.#failures.delete(index);
    } catch (error) {
      // A replica may lack the package of a language.
      if (!(error instanceof CapacityError || error instanceof ValueError)) throw error;
      // Searches examine every text that is in no segment.
      const { message } = error;
      this.#failures.set(index, { builder, message, retryAt: performance.now() + this.#retryMs });
      if (isKnown && failure.message === message) return;
      this.#log(`graph "${this.#store.name}": index of texts is not complete: ${message}`, "warn");
    }
  }

  #builderFor(index: number): TextBuilder | null {
    const state = this.#store.texts.read(index);
    if (state === null) return null;
    let builder = this.#builders.get(index);
    if (builder?.generation !== state.generation) {
      builder = new TextBuilder(this.#store, index, state.generation);
      this.#builders.set(index, builder);
    }
    return builder;
  }

  #freeRetired(): void {
    const { texts, writer, memory } = this.#store;
    const epoch = texts.retiredEpoch;
    if (epoch < 0 || isPinnedBefore(memory, epoch)) return;
    writer.mutate(() => {
      if (texts.retiredEpoch === epoch) texts.freeRetired();
    });
  }
}

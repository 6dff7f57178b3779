// Builds the text indexes of a graph in the interconnect thread, in small steps that do not delay
// other work of the thread. If the thread dies, the next builder frees the unfinished block;
// published segments stay.

import type { LogLine } from "../../base/log-settings.js";
import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import { CapacityError, ValueError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { isPinnedBefore } from "./pins.js";
import { TextBuilder } from "./text-builder.js";
import { RESTART_VERSION } from "./text-layout.js";

const TICK_MS = 100;
const SLICE_MS = 2;
/** Delay before a retry: by then, memory may be free or a package installed. */
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
  #steps: Generator<undefined, void, void> | null = null;
  #hasFreed = false;

  /** @param log receives a line when a builder fails */
  constructor(store: GraphStore, log: LogLine, retryMs = RETRY_MS) {
    super(TICK_MS);
    this.#store = store;
    this.#log = log;
    this.#retryMs = retryMs;
  }

  /**
   * Works for a time slice; returns false if nothing is left to do.
   * @param isComplete whether to build pending texts and retry failed builders without delay
   */
  run(limitMs: number, isComplete = true): boolean {
    const deadline = performance.now() + limitMs;
    this.#steps ??= this.#buildAll(isComplete);
    do {
      if (this.#steps.next().done !== true) continue;
      this.#steps = null;
      return false;
    } while (performance.now() < deadline);
    return true;
  }

  protected slice(): boolean {
    const { memory, texts } = this.#store;
    if (memory.isRemoved) return false;
    if (this.#steps === null && texts.isEmpty && texts.retiredEpoch < 0) return false;
    return this.run(SLICE_MS, false);
  }

  *#buildAll(isComplete: boolean): Generator<undefined, void, void> {
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
    const isRepeated = failure?.builder === builder;
    if (isRepeated && !isComplete && performance.now() < failure.retryAt) return;
    try {
      yield* builder.run(isComplete);
      this.#failures.delete(index);
    } catch (error) {
      // A replica may lack the package of a language.
      if (!(error instanceof CapacityError || error instanceof ValueError)) throw error;
      // Searches remain correct: they examine every pending text.
      const { message } = error;
      this.#failures.set(index, { builder, message, retryAt: performance.now() + this.#retryMs });
      if (isRepeated && failure.message === message) return;
      this.#log(`graph "${this.#store.name}": text index is incomplete: ${message}`, "warn");
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

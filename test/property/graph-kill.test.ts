// Two threads write one graph continuously and are terminated at random: after each death the graph
// is consistent, the transaction log agrees, and the other thread continues.
// limit: 240 s
// takes 10 s

import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Header } from "../../runtime/graph/memory/layout.js";
import { D_OUT, M_CNT } from "../../runtime/graph/model/constants.js";
import { recoverGraph, releaseStaleLocks } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { readWriter } from "../runtime/graph/support/header-words.js";
import { loggedStore, replayTo } from "../runtime/graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { BundledThread } from "./support/bundled-thread.js";
import { comparable } from "./support/comparable.js";
import type { KilledThreadData } from "./support/killed-thread.js";
import { Random, SEED } from "./support/random.js";
import { CONTROL_WORDS, Control } from "./support/thread-control.js";

const test = suite("killed writers");
const KILLS = rounds(12);
/** Changes that a thread makes before it may be killed. */
const FIRST_CHANGES = 30;
const MAX_DELAY_MS = 4;
const PAUSE_TIMEOUT_MS = 20_000;
/** Started ahead, so that kills need not wait for a start. */
const SPARE_THREADS = 2;

interface Writing {
  readonly worker: Worker;
  readonly thread: number;
  readonly seed: number;
  readonly control: Int32Array;
}

class Threads {
  readonly #bundled: BundledThread;
  readonly #store: GraphStore;
  readonly #spare: Writing[] = [];
  #started = 0;

  constructor(store: GraphStore, source: string) {
    this.#store = store;
    this.#bundled = new BundledThread(new URL(source, import.meta.url));
    for (let spare = 0; spare < SPARE_THREADS; spare++) this.#spare.push(this.#start());
  }

  /** A thread that has started to write. */
  async next(): Promise<Writing> {
    this.#spare.push(this.#start());
    const next = this.#spare.shift()!;
    Atomics.store(next.control, Control.Go, 1);
    Atomics.notify(next.control, Control.Go);
    while (Atomics.load(next.control, Control.Changes) < FIRST_CHANGES) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return next;
  }

  async end(): Promise<void> {
    await Promise.all(this.#spare.map(({ worker }) => worker.terminate()));
  }

  #start(): Writing {
    const index = this.#started++;
    const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS));
    const { share } = this.#store;
    const data: KilledThreadData = {
      ...{ share, thread: 1 + (index % 100), seed: SEED + index, control },
    };
    const { thread, seed } = data;
    return { worker: this.#bundled.start(data), thread, seed, control };
  }
}

/** Runs while a thread makes no changes, which requires that no dead thread has left it blocked. */
function whilePaused({ control }: Writing, run: () => void): void {
  Atomics.store(control, Control.Pause, 1);
  const result = Atomics.wait(control, Control.Paused, 0, PAUSE_TIMEOUT_MS);
  assert.is.not(result, "timed-out", "the other thread goes on");
  run();
  Atomics.store(control, Control.Pause, 0);
  Atomics.notify(control, Control.Pause);
  while (Atomics.load(control, Control.Paused) === 1);
}

/** Locks of a dead thread are released later if a sleeping thread holds the mutex. */
function recover(store: GraphStore, { thread }: Writing): void {
  let isDone = recoverGraph(store, thread);
  while (!isDone) isDone = releaseStaleLocks(store, thread);
}

test(`leave a consistent graph (seed ${SEED})`, async () => {
  const random = new Random();
  const store = loggedStore();
  const copy = GraphStore.create("test", TEST_THREAD);
  const check = (): void => {
    replayTo(store, copy);
    checkStore(store);
    assert.equal(comparable(copy), comparable(store));
  };
  const { header } = store.memory;
  const threads = new Threads(store, "support/killed-thread.ts");
  let otherThread = await threads.next();
  let writing = 0;
  let unfinished = 0;
  try {
    // On a loaded machine, most may be killed while they wait for a processor.
    for (let kill = 0; kill < KILLS || (writing === 0 && kill < 20 * KILLS); kill++) {
      const victim = await threads.next();
      Atomics.wait(victim.control, Control.Paused, 0, random.below(100 * MAX_DELAY_MS) / 100);
      await victim.worker.terminate();
      if (readWriter(store.memory) === victim.thread) {
        writing++;
        if (header.words[Header.Unfinished] !== 0) unfinished++;
      }
      recover(store, victim);
      const held = store.locks.entries().map(({ session }) => session >>> 24);
      assert.not(held.includes(victim.thread), "no lock of a dead thread is left");
      whilePaused(otherThread, check);
      if (random.below(6) > 0) continue;
      // The one that has lived longer is next.
      const survivor = await threads.next();
      await otherThread.worker.terminate();
      recover(store, otherThread);
      otherThread = survivor;
      whilePaused(otherThread, check);
    }
  } finally {
    await Promise.all([otherThread.worker.terminate(), threads.end()]);
  }
  recover(store, otherThread);
  check();
  assert.ok(writing > 0, "some were killed while they wrote");
  assert.ok(unfinished > 0 || KILLS < 40, "some were killed between steps");
});

test("lose no acknowledged change", async () => {
  const random = new Random();
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const threads = new Threads(store, "support/counting-thread.ts");
  const writing = [await threads.next(), await threads.next()];
  let sum = 0;
  let deaths = 0;
  const kill = async (victim: Writing): Promise<void> => {
    await victim.worker.terminate();
    recover(store, victim);
    const reported = Atomics.load(victim.control, Control.Changes);
    const counted = graph.arcValue(`thread ${victim.seed}`, ["did", D_OUT, M_CNT], "counter");
    assert.ok(
      counted === reported || counted === reported + 1,
      `${counted} counted, ${reported} told`,
    );
    sum += counted;
    deaths++;
  };
  for (let round = 0; round < KILLS / 4; round++) {
    writing.push(await threads.next());
    Atomics.wait(writing[0]!.control, Control.Paused, 0, random.below(100 * MAX_DELAY_MS) / 100);
    await kill(writing.splice(random.below(writing.length), 1)[0]!);
  }
  for (const last of writing) await kill(last);
  await threads.end();
  checkStore(store);
  const counterTotal = Number(graph.arcValue("all", ["did", D_OUT, M_CNT], "counter"));
  assert.ok(
    counterTotal <= sum && counterTotal >= sum - deaths,
    `${counterTotal} of ${sum} with ${deaths} deaths`,
  );
});

test.run();

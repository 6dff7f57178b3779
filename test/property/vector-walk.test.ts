// The walk kernel against a model: it keeps the best results, and names the best slot whose
// neighbors were not listed yet, whichever slots have no vertex or are refused. SEED=n repeats a
// run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createKernelMemory, sharedBuffer } from "../../runtime/graph/memory/arena.js";
import { vectorKernel } from "../../runtime/graph/vectors/kernels/vector-kernel.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("walk kernel");
const LENGTH = 32;
const SLOT_BYTES = 64;
const SLOTS = 200;
/** Addresses of the probe, the list, its scores, the state, its entries, and the slots. */
const [PROBE, LIST, SCORES, STATE, ENTRIES, FIRST] = [64, 256, 1280, 2304, 2432, 8192];
/** Words of a slot, and offset of its scale. */
const [VERTEX, SCALE, COMPONENTS] = [0, 2, 8];
const MAX_BYTE = 127;
/** Marks of a listed address. */
const [REFUSED, ANY] = [1, 2];

interface Entry {
  readonly slot: number;
  readonly score: number;
  readonly isResult: boolean;
  isListed: boolean;
}

/** The best results, and the slots that are not worse than the last of them. */
class Model {
  #entries: Entry[] = [];

  constructor(
    private readonly limit: number,
    private readonly mostEntries: number,
  ) {}

  get results(): Entry[] {
    return this.#entries.filter(({ isResult }) => isResult);
  }

  add(entry: Entry): void {
    const worst = this.results[this.limit - 1];
    if (worst !== undefined && entry.score <= worst.score) return;
    if (this.#entries.length === this.mostEntries) this.#entries.pop();
    this.#entries.push(entry);
    this.#entries.sort((a, b) => b.score - a.score);
    const last = this.results[this.limit - 1];
    if (last !== undefined) this.#entries.length = this.#entries.indexOf(last) + 1;
  }

  next(): number {
    const entry = this.#entries.find(({ isListed }) => !isListed);
    if (entry === undefined) return 0;
    entry.isListed = true;
    return entry.slot;
  }
}

const memory = createKernelMemory();
const kernel = vectorKernel(memory);
const words = new Uint32Array(sharedBuffer(memory));
const floats = new Float32Array(words.buffer);
const bytes = new Int8Array(words.buffer);

/** Starts a walk that compares the first component of slots, with many equal scores. */
function begin(random: Random, maxVertices: number, mostEntries: number): void {
  new Int16Array(words.buffer, PROBE, LENGTH).fill(0).fill(1, 0, 1);
  for (let index = 0; index < SLOTS; index++) {
    const slot = (FIRST + index * SLOT_BYTES) / 4;
    words[slot + VERTEX] = random.below(4) === 0 ? 0 : index + 1;
    // A scale that is not a number makes a score of that kind.
    floats[slot + SCALE] = random.below(50) === 0 ? Number.NaN : 1;
    bytes[(slot + COMPONENTS) * 4] = random.below(2 * MAX_BYTE + 1) - MAX_BYTE;
  }
  const state = [0, 0, maxVertices, mostEntries, PROBE, LENGTH, SCALE * 4, 0, 0, 0, LIST, 0];
  words.set([...state, ENTRIES, ENTRIES, SCORES], STATE / 4);
  // The factor.
  floats[STATE / 4 + 7] = 1;
}

test(`keeps the best candidates and follows the best of the rest (seed ${SEED})`, () => {
  const random = new Random();
  for (let round = 0; round < rounds(100); round++) {
    const maxCount = 1 + random.below(20);
    // Seldom less than the results and all that leads to them.
    const mostEntries = random.below(3) === 0 ? 1 + random.below(30) : 400;
    begin(random, maxCount, mostEntries);
    const model = new Model(maxCount, mostEntries);
    for (let step = 0; step < 30; step++) {
      const listed = random.list(12, () => {
        const slot = FIRST + random.below(SLOTS) * SLOT_BYTES;
        return slot | random.of([0, 0, REFUSED, ANY]);
      });
      words.set(listed, LIST / 4);
      for (const marked of listed) {
        const [slot, marks] = [marked & ~3, marked & 3];
        const isNumber = !Number.isNaN(floats[slot / 4 + SCALE]);
        const score = isNumber ? bytes[slot + COMPONENTS * 4]! : Number.NEGATIVE_INFINITY;
        const isResult = marks !== REFUSED && (marks === ANY || words[slot / 4] !== 0);
        model.add({ slot, score, isResult, isListed: false });
      }
      assert.is(kernel.walk(STATE, listed.length), model.next(), `step ${step}`);
    }
    kernel.finish(STATE);
    const { results } = model;
    assert.is(words[STATE / 4], results.length);
    const entries = results.flatMap((_, position) => {
      const offset = ENTRIES / 4 + 2 * position;
      return [[floats[offset]!, words[offset + 1]!]];
    });
    assert.equal(
      entries,
      results.map(({ score, slot }) => [score, slot]),
    );
  }
});

test.run();

// Collects all matching vertices of a search, in the order of the search: documents segment by
// segment, then vertices whose texts are in no segment. Scores are optional.

import type { Segment } from "./segment.js";

const MIN_CAPACITY = 64;

/** Consecutive matches of one segment, or of none. */
export interface DocumentRun {
  readonly segment: Segment | null;
  from: number;
  end: number;
}

export class AllDocuments {
  count = 0;
  readonly runs: DocumentRun[] = [];
  #vertices = new Uint32Array(0);
  #documents = new Uint32Array(0);
  #scores: Float64Array | null;

  constructor(hasScores: boolean) {
    this.#scores = hasScores ? new Float64Array(0) : null;
  }

  /** Starts a run of matches of another segment, or of none. */
  begin(segment: Segment | null): void {
    this.runs.push({ segment, from: this.count, end: this.count });
  }

  /** Reserves room for more vertices, so that adding them copies nothing. */
  reserve(added: number): void {
    const needed = this.count + added;
    if (needed <= this.#vertices.length) return;
    const size = Math.max(needed, MIN_CAPACITY, this.#vertices.length * 2);
    this.#vertices = copyOf(this.#vertices, new Uint32Array(size));
    this.#documents = copyOf(this.#documents, new Uint32Array(size));
    if (this.#scores !== null) this.#scores = copyOf(this.#scores, new Float64Array(size));
  }

  /** Adds a vertex to the last run. */
  add(vertex: number, document: number, score: number): void {
    if (this.count === this.#vertices.length) this.reserve(1);
    this.#vertices[this.count] = vertex;
    this.#documents[this.count] = document;
    if (this.#scores !== null) this.#scores[this.count] = score;
    this.runs[this.runs.length - 1]!.end = ++this.count;
  }

  /** Adds the documents of the last run's segment that are current, without scores. */
  addCurrent(
    documents: Uint32Array,
    count: number,
    versionOf: (vertex: number) => number,
    accepts: ((vertex: number) => boolean) | null,
  ): void {
    this.reserve(count);
    const run = this.runs[this.runs.length - 1]!;
    const segment = run.segment!;
    const vertices = this.#vertices;
    const added = this.#documents;
    let top = this.count;
    for (let at = 0; at < count; at++) {
      const document = documents[at]!;
      const vertex = segment.vertexOf(document);
      if (versionOf(vertex) !== segment.versionOf(document)) continue;
      if (accepts !== null && !accepts(vertex)) continue;
      vertices[top] = vertex;
      added[top++] = document;
    }
    this.count = top;
    run.end = top;
  }

  /** Removes the vertices that do not pass a condition. */
  keep(isKept: (vertex: number) => boolean): void {
    let top = 0;
    for (const run of this.runs) {
      const { from, end } = run;
      run.from = top;
      for (let at = from; at < end; at++) {
        const vertex = this.#vertices[at]!;
        if (!isKept(vertex)) continue;
        this.#vertices[top] = vertex;
        this.#documents[top] = this.#documents[at]!;
        if (this.#scores !== null) this.#scores[top] = this.#scores[at]!;
        top++;
      }
      run.end = top;
    }
    this.count = top;
  }

  get vertices(): Uint32Array {
    return this.#vertices.subarray(0, this.count);
  }

  /** Documents, numbered within the segments of their runs. */
  get documents(): Uint32Array {
    return this.#documents.subarray(0, this.count);
  }

  /** Empty if scores are not collected. */
  get scores(): Float64Array {
    return (this.#scores ?? NO_SCORES).subarray(0, this.count);
  }

  /** Vertices whose texts are in no segment. */
  get unsegmented(): Uint32Array {
    const others = this.runs.filter(({ segment }) => segment === null);
    const count = others.reduce((sum, { from, end }) => sum + end - from, 0);
    const vertices = new Uint32Array(count);
    let top = 0;
    for (const { from, end } of others) {
      vertices.set(this.#vertices.subarray(from, end), top);
      top += end - from;
    }
    return vertices;
  }
}

const NO_SCORES = new Float64Array(0);

function copyOf<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

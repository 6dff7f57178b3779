// The arcs of all vertices, as seen from one side: a run of 3-word arcs per vertex, in no order,
// and a hash index beside the long ones. What belongs together on both sides is the business of
// operations/apply.ts; this only ever knows one of them.

import { InternalError } from "../errors.js";
import type { Arena } from "../memory/arena.js";
import type { GraphMemory } from "../memory/graph-memory.js";
import { SIDE_WORDS, Side } from "../memory/layout.js";
import type { SideNumber, Writer } from "../memory/writer.js";

export class ArcRuns {
  /** 0: arcs by their initials, 1: by their terminals. */
  readonly side: SideNumber;
  /** `SIDE_WORDS` words a vertex. */
  readonly sides: Arena;
  /** The runs that those point to. */
  readonly arcs: Arena;

  constructor(memory: GraphMemory, _writer: Writer, side: SideNumber) {
    this.side = side;
    this.sides = side === 0 ? memory.out : memory.in;
    this.arcs = side === 0 ? memory.outArcs : memory.inArcs;
  }

  /** Number of arcs; forward-only ones count at their terminal too, without being in its run. */
  degree(vertex: number): number {
    return this.sides.words[vertex * SIDE_WORDS + Side.Degree]!;
  }

  /** Arcs in the run: the degree, or 0 at a terminal of forward-only arcs, which has no run. */
  length(vertex: number): number {
    const at = vertex * SIDE_WORDS;
    return this.sides.words[at + Side.Pointer] === 0 ? 0 : this.sides.words[at + Side.Degree]!;
  }

  /**
   * Position in the run of the arc to `other` whose word 1 without flags is `key`, or -1. For use
   * within a mutation or between `Reader.enter` and `leave`.
   */
  find(_vertex: number, _other: number, _key: number): number {
    throw new InternalError("not written");
  }

  /** Adds an arc that is not there; within a mutation. */
  add(_vertex: number, _other: number, _word1: number, _value: number): void {
    throw new InternalError("not written");
  }

  /** Removes the arc at a position of the run; the last arc takes its place; within a mutation. */
  removeAt(_vertex: number, _position: number): void {
    throw new InternalError("not written");
  }

  /** Sets the value of the arc at a position of the run; within a mutation. */
  setValue(_vertex: number, _position: number, _value: number): void {
    throw new InternalError("not written");
  }
}

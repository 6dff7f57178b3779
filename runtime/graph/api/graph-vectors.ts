// How a graph stores and compares its vectors.

import { setImmediate } from "node:timers/promises";
import {
  changeVectorSettings,
  convertVectors,
  type VectorSettings,
  vectorSettings,
} from "../changes/vector-settings.js";
import { checkOptions, refuseFurther } from "../model/check-argument.js";
import { GraphQueries } from "./graph-queries.js";

const VECTOR_SETTINGS = new Set(["precision", "measure"]);
/** Time slice of a conversion, after which other requests run. */
const SLICE_MS = 2;

/** Vectors of one name. */
export interface NamedVectors extends VectorSettings {
  /** Number of vertices that have one. */
  readonly vectors: number;
}

export class GraphVectors extends GraphQueries {
  /** How vectors are stored and compared. */
  get vectorSettings(): VectorSettings {
    return vectorSettings(this.access.store.vectors);
  }

  /** Names of vectors, with their settings and the number of vertices that have one. */
  get vectorNames(): { readonly [name: string]: NamedVectors } {
    const { vectorFields, keys } = this.access.store;
    const named = vectorFields.all().filter(({ key }) => key !== 0);
    return Object.fromEntries(
      named.map((table) => [
        keys.nameOf(table.key),
        { ...vectorSettings(table), vectors: table.count },
      ]),
    );
  }

  /**
   * Changes how vectors are stored and compared. A precision applies to vectors that are set from
   * then on; `rebuildVectors` converts the others.
   * @param name name of the vectors (default: those without a name)
   * @throws QueryError, ValueError, AccessError, CapacityError
   */
  setVectorSettings(settings: Partial<VectorSettings>, name = "", ...further: never[]): void {
    refuseFurther(further, "name");
    checkOptions(settings, VECTOR_SETTINGS);
    changeVectorSettings(this.access.store, settings, name);
  }

  /**
   * Converts all vectors to the precision of the graph, in steps between which other requests run.
   * A higher precision does not restore lost digits: set the vector again.
   * @returns number of converted vectors
   * @throws AccessError, CapacityError
   */
  async rebuildVectors(): Promise<number> {
    const { store } = this.access;
    let converted = 0;
    let pauseAt = performance.now() + SLICE_MS;
    for (const count of convertVectors(store)) {
      converted = count;
      if (performance.now() < pauseAt) continue;
      await setImmediate();
      pauseAt = performance.now() + SLICE_MS;
    }
    return converted;
  }
}

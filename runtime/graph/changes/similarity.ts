// Changes the similarity settings of a graph.

import { ValueError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import {
  encodeSetting,
  type SimilaritySetting,
  settingIndex,
} from "../vectors/similarity-settings.js";
import { begin } from "./change-vertex.js";
import { requireWritable } from "./vertex-key.js";

/**
 * Sets a similarity setting, effective for all queries that start later.
 * @throws ValueError, TypeError for an invalid value; AccessError
 */
export function setSimilarity(
  { store }: { readonly store: GraphStore },
  name: SimilaritySetting,
  value: number,
): void {
  const bits = encodeSetting(name, value);
  store.writer.mutate(() => {
    requireWritable(store);
    requireCosine(store, name, value);
    const operation = begin(store, OperationCode.SetSimilarity, 0);
    operation.name = settingIndex(name);
    operation.flags = 0;
    operation.value = bits;
    apply(store, operation);
  });
}

/** Rejects Jaccard for vectors of numbers, which support cosine only. */
function requireCosine({ vectors }: GraphStore, name: SimilaritySetting, value: number): void {
  const usesJaccard = name === "jaccard_exp" ? value > 0 : name === "cosine_exp" && value < 1;
  if (!usesJaccard || !vectors.hasOtherKind(true)) return;
  throw new ValueError(`${name} must be ${name === "jaccard_exp" ? 0 : 1} for vectors of numbers`);
}

// Levels of a survey of a system: each dispatcher asks its back-ends and the instances that
// replicate with them, and responds for all of them. No instance asks ten thousand others.

import { findRoot } from "./read-slots.js";
import type { System } from "./system.js";

export interface SurveyTree {
  /** Instances that no dispatcher asks. */
  readonly tops: readonly string[];
  /** Instances that a dispatcher asks. Each instance is a top, or below exactly one dispatcher. */
  readonly below: ReadonlyMap<string, readonly string[]>;
}

export function planSurvey(system: System): SurveyTree {
  const askedBy = new Map<string, string>();
  const tops = new Set<string>();
  const visited = new Set<string>();
  const backEnds = new Set(
    [...system.matrices.values()].flatMap(({ partitions }) => partitions.flat()),
  );
  const visit = (top: string): void => {
    const found = [top];
    for (const id of found) {
      visited.add(id);
      for (const one of system.matrices.get(id)!.partitions.flat()) {
        if (visited.has(one) || askedBy.has(one)) continue;
        askedBy.set(one, id);
        if (system.matrices.has(one)) found.push(one);
      }
    }
  };
  const dispatchers = [...system.matrices.keys()];
  // Dispatchers of a dispatch loop are all back-ends.
  for (const id of [...dispatchers.filter((one) => !backEnds.has(one)), ...dispatchers]) {
    if (visited.has(id)) continue;
    tops.add(id);
    visit(id);
  }
  const byTree = new Map<string, string>();
  for (const [id, dispatcher] of askedBy) {
    const root = findRoot(system.providers, id);
    if (!byTree.has(root)) byTree.set(root, dispatcher);
  }
  const below = new Map<string, string[]>(dispatchers.map((id) => [id, []]));
  for (const id of system.instances.keys()) {
    const dispatcher = askedBy.get(id) ?? byTree.get(findRoot(system.providers, id));
    if (dispatcher !== undefined && !tops.has(id)) below.get(dispatcher)!.push(id);
    else if (!system.matrices.has(id)) tops.add(id);
  }
  return { tops: [...tops], below };
}

/** Returns all instances that a dispatcher answers for, itself first. */
export function listBranch({ below }: SurveyTree, dispatcher: string): readonly string[] {
  const found = [dispatcher];
  for (const id of found) for (const one of below.get(id) ?? []) found.push(one);
  return found;
}

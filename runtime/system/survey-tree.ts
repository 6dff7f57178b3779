// Division of a system for surveys: each dispatcher polls its back-ends and the instances that
// replicate with them, and responds for all of them. No instance sends 10,000 requests.

import { findRoot } from "./read-slots.js";
import type { System } from "./system.js";

export interface SurveyTree {
  /** Instances that no dispatcher polls. */
  readonly tops: readonly string[];
  /** Instances by the dispatcher that polls them: each one is a top, or below one dispatcher. */
  readonly below: ReadonlyMap<string, readonly string[]>;
}

export function planSurvey(system: System): SurveyTree {
  const dispatcherOf = new Map<string, string>();
  const tops = new Set<string>();
  const visited = new Set<string>();
  const backEnds = new Set(
    [...system.matrices.values()].flatMap(({ partitions }) => partitions.flat()),
  );
  const visit = (top: string): void => {
    const reached = [top];
    for (const id of reached) {
      visited.add(id);
      for (const engine of system.matrices.get(id)!.partitions.flat()) {
        if (visited.has(engine) || dispatcherOf.has(engine)) continue;
        dispatcherOf.set(engine, id);
        if (system.matrices.has(engine)) reached.push(engine);
      }
    }
  };
  const dispatchers = [...system.matrices.keys()];
  // Dispatchers of a dispatch loop are all back-ends.
  for (const id of [...dispatchers.filter((id) => !backEnds.has(id)), ...dispatchers]) {
    if (visited.has(id)) continue;
    tops.add(id);
    visit(id);
  }
  const dispatcherOfTree = new Map<string, string>();
  for (const [id, dispatcher] of dispatcherOf) {
    const root = findRoot(system.providers, id);
    if (!dispatcherOfTree.has(root)) dispatcherOfTree.set(root, dispatcher);
  }
  const below = new Map<string, string[]>(dispatchers.map((id) => [id, []]));
  for (const id of system.instances.keys()) {
    const dispatcher = dispatcherOf.get(id) ?? dispatcherOfTree.get(findRoot(system.providers, id));
    if (dispatcher !== undefined && !tops.has(id)) below.get(dispatcher)!.push(id);
    else if (!system.matrices.has(id)) tops.add(id);
  }
  return { tops: [...tops], below };
}

/** Returns all instances that a dispatcher responds for, itself first. */
export function listBranch({ below }: SurveyTree, dispatcher: string): readonly string[] {
  const members = [dispatcher];
  for (const id of members) for (const child of below.get(id) ?? []) members.push(child);
  return members;
}

// Steps of several tasks in random order.

import type { Random } from "../random.js";

export type Task = Generator<undefined, void, undefined>;

/** Executes tasks until all have ended. @throws the error of the first task that failed */
export function* interleave(tasks: readonly Task[], random: Random): Task {
  const failures: unknown[] = [];
  for (const running = new Set(tasks); running.size > 0; ) {
    const task = random.of([...running]);
    try {
      if (task.next().done === true) running.delete(task);
    } catch (error) {
      failures.push(error);
      running.delete(task);
    }
    yield;
  }
  if (failures.length > 0) throw failures[0];
}

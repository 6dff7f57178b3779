// A limit for answers of services outside, and of other threads.

import { setTimeout as delay } from "node:timers/promises";

/** @throws Error if there is no answer in time; a later one is ignored */
export function answerInTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  answer.catch(() => undefined);
  const late = delay(ms, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${ms} ms`);
  });
  return Promise.race([answer, late]);
}

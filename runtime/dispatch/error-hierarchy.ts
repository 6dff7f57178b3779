// Location of an error in the hierarchy of dispatchers, for the response envelope (http-interface,
// "Response envelope").

import { ResponseError } from "../base/errors.js";
import { PartialView } from "../partial/partial-view.js";
import type { BackEndError } from "./error-chain.js";
import type { BackEndResponse } from "./response-parser.js";

export interface ErrorHierarchy {
  /** Dispatcher levels below, this one included. */
  readonly level: number;
  /** `[parts, incomplete, deep]` */
  readonly partitions: readonly [number, number, number];
}

/**
 * @param answers by partition; null where none is usable
 * @param failed error of the back-end that failed
 */
export function errorHierarchy(
  answers: readonly (BackEndResponse | null)[],
  failed: Pick<BackEndError, "level" | "deep">,
): ErrorHierarchy {
  let { level, deep } = failed;
  let arrived = 0;
  for (const answer of answers) {
    const view = answer === null ? null : parseView(answer);
    if (view === null) continue;
    arrived++;
    level = Math.max(level, view.level);
    deep += view.partials;
  }
  return { level: level + 1, partitions: [answers.length, answers.length - arrived, deep] };
}

function parseView({ body }: BackEndResponse): PartialView | null {
  try {
    return new PartialView(body, "partial");
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return null;
  }
}

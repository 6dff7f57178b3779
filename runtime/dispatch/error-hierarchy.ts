// Where in a matrix an error arose, for the envelope of its answer (http-interface, "Response
// envelope").

import { ResponseError } from "../base/errors.js";
import { PartialView } from "../partial/partial-view.js";
import type { BackEndError } from "./error-chain.js";
import type { BackEndResponse } from "./response-parser.js";

export interface ErrorHierarchy {
  /** Levels of dispatchers below, this one included. */
  readonly level: number;
  /** `[parts, incomplete, deep]` */
  readonly partitions: readonly [number, number, number];
}

/**
 * @param answers of each partition; null where there is none, or none that could be used
 * @param failed what the back-end that failed says
 */
export function errorHierarchy(
  answers: readonly (BackEndResponse | null)[],
  failed: Pick<BackEndError, "level" | "deep">,
): ErrorHierarchy {
  let { level, deep } = failed;
  let arrived = 0;
  for (const answer of answers) {
    const view = answer === null ? null : viewOf(answer);
    if (view === null) continue;
    arrived++;
    level = Math.max(level, view.level);
    deep += view.partials;
  }
  return { level: level + 1, partitions: [answers.length, answers.length - arrived, deep] };
}

function viewOf({ body }: BackEndResponse): PartialView | null {
  try {
    return new PartialView(body, "partial");
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return null;
  }
}

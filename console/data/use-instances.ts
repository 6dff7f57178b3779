// All instances of the system, live, for every page that shows some of them.

import { useMemo } from "preact/hooks";
import { BusyDetector } from "./busy-detector.js";
import { type Instance, OVERVIEW, parseInstances, readIdleTimes } from "./instances.js";
import { useLive } from "./server-connection.js";

interface Seen {
  /** `system_overview`; null before the first response. */
  readonly overview: unknown;
  readonly instances: readonly Instance[];
}

/** Since when pages look: states of one page hold on the next. */
const looks = new BusyDetector();

/** @param onAnswer receives the instances of each response */
export function useInstances(
  everyMs: number,
  onAnswer: (instances: readonly Instance[]) => void = () => {},
): Seen {
  const overview = useLive(OVERVIEW, everyMs, (answer, isGap) => {
    if (isGap) return;
    looks.add(Date.now(), readIdleTimes(answer));
    onAnswer(parseInstances(answer, (id) => looks.isBusy(id)));
  });
  const instances = useMemo(() => parseInstances(overview, (id) => looks.isBusy(id)), [overview]);
  return { overview, instances };
}

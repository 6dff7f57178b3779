// Distribution of requests over the executor slots and over the matrix of back-ends.

import { ADMIN_SLOTS, MAIN_SLOTS } from "../../base/limits.js";
import type { Metrics } from "../../metrics/metrics.js";
import { decimals } from "../format.js";
import { jsonService } from "../service.js";
import { backEnds, isProxy, matrixStats } from "./matrix-stats.js";

export const matrix = jsonService(({ dispatcher }) => backEnds(dispatcher, "ip"));

export const dispatch = jsonService(({ metrics, dispatcher }) => ({
  A: {
    ...portLoad(metrics, 0, 0, MAIN_SLOTS),
    ...(dispatcher !== null && {
      matrix: {
        ...matrixStats(dispatcher),
        proxy: isProxy(dispatcher),
        partitions: backEnds(dispatcher, "host"),
      },
    }),
  },
  B: portLoad(metrics, 1, MAIN_SLOTS, ADMIN_SLOTS),
}));

function portLoad(metrics: Metrics, portOffset: 0 | 1, firstSlot: number, slots: number) {
  const executor: Record<string, [jobs: number, busyPercent: number]> = {};
  for (let id = 0; id < slots; id++) {
    const { jobs, busyPercent } = metrics.slot(firstSlot + id);
    executor[id] = [jobs, decimals(busyPercent, 1)];
  }
  // No signals: threads are woken by messages.
  return { dispatch: { ...metrics.dispatch(portOffset), signals: 0 }, executor };
}

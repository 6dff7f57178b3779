// All instances of the system, polled once for the whole page: the frame polls, pages read.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { BusyDetector } from "./busy-detector.js";
import { recordHistory } from "./instance-history.js";
import { type Instance, OVERVIEW, parseInstances, readIdleTimes } from "./instances.js";
import { useLive } from "./server-connection.js";

export interface SystemView {
  /** `system_overview`; null before the first response. */
  readonly overview: unknown;
  readonly instances: readonly Instance[];
}

const EVERY_MS = 1000;
/** Without a system, there is nothing to wait for. */
const ALONE_EVERY_MS = 4000;

export const systemView = signal<SystemView>({ overview: null, instances: [] });
/** States of one page hold on the next. */
const looks = new BusyDetector();

/** Polls the system; for the frame alone. */
export function useSystemPoll(): void {
  const isAlone = systemView.value.instances.length === 1;
  useLive(OVERVIEW, isAlone ? ALONE_EVERY_MS : EVERY_MS, (overview, isGap) => {
    if (isGap) return;
    looks.add(Date.now(), readIdleTimes(overview));
    const instances = parseInstances(overview, (id) => looks.isBusy(id));
    recordHistory(instances);
    systemView.value = { overview, instances };
  });
}

/** @param onAnswer receives the instances of each response */
export function useInstances(
  onAnswer: (instances: readonly Instance[]) => void = () => {},
): SystemView {
  const view = systemView.value;
  useEffect(() => {
    if (view.overview !== null) onAnswer(view.instances);
  }, [view]);
  return view;
}

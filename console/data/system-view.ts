// All instances of the system, polled once for the whole page: the frame polls, pages read.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { currentRoute } from "../router.js";
import { BusyDetector } from "./busy-detector.js";
import { fetchValue } from "./client.js";
import { MAX_INSTANCES, MAX_VALUES, recordHistory } from "./instance-history.js";
import { type Instance, readIdleTimes } from "./instances.js";
import { numberAt } from "./node-stat.js";
import { MAX_LOOKS } from "./rates.js";
import { useLive } from "./server-connection.js";
import { SystemMirror } from "./system-mirror.js";

export interface SystemView {
  /** Id of the serving instance. */
  readonly id: string;
  readonly name: string;
  /** Empty before the first response. */
  readonly instances: readonly Instance[];
  /** End of the poll of all instances; milliseconds of the server. */
  readonly polledAt: number;
}

const EVERY_MS = 1000;
/** Without a system, there is nothing to wait for. */
const ALONE_EVERY_MS = 4000;
/** The server polls a large system every 5 ms per instance: between two polls, nothing is new. */
const LARGE = 400;
const LARGE_EVERY_MS = 2000;
const OVERVIEW = "svc/builtin/system_overview";
/** Pages with the back-ends of dispatchers. The map of a large system needs none. */
const WITH_CELLS: ReadonlySet<string> = new Set(["matrix", "system"]);
/** The map shows more instances as cells. */
export const MAX_BOXES = 40;

export const systemView = signal<SystemView>({ id: "", name: "", instances: [], polledAt: 0 });
/** States are shared by successive pages. */
const looks = new BusyDetector();
const mirror = new SystemMirror();
/** Polls since the last change: charts keep moving until they are flat. */
let stillPolls = 0;

function needsCells(): boolean {
  const { page } = currentRoute.value;
  const isLarge = systemView.value.instances.length > MAX_BOXES;
  return WITH_CELLS.has(page) && !(page === "system" && isLarge);
}

const withCells = (): string => `${OVERVIEW}?${mirror.query(true)}`;
const withoutCells = (): string => `${OVERVIEW}?${mirror.query(false)}`;

/** The first response, which is requested before anything is drawn. */
let first: Promise<unknown> | null = null;

/** Requests the first response, and resolves when it has arrived; the poll reports a failure. */
export async function requestSystem(): Promise<void> {
  first = fetchValue(needsCells() ? withCells() : withoutCells());
  await first.catch(() => {});
}

function takeFirst(): Promise<unknown> | null {
  const taken = first;
  first = null;
  return taken;
}

/** Polls the system; draws nothing. */
export function SystemPoll() {
  const size = systemView.value.instances.length;
  const hasCells = needsCells();
  useLive(
    hasCells ? withCells : withoutCells,
    size === 1 ? ALONE_EVERY_MS : size > LARGE ? LARGE_EVERY_MS : EVERY_MS,
    (answer, isGap) => {
      if (!isGap) take(answer, hasCells);
    },
    takeFirst,
  );
  return null;
}

function take(answer: unknown, hasCells: boolean): void {
  const last = systemView.value;
  const instances = mirror.apply(answer, hasCells, (id) => looks.isBusy(id));
  const polledAt = numberAt(answer, "polled");
  stillPolls = instances === last.instances ? stillPolls : 0;
  if (polledAt === last.polledAt && instances === last.instances) return;
  looks.add(polledAt, readIdleTimes(instances));
  recordHistory(instances);
  const mostPolls = instances.length > MAX_INSTANCES ? MAX_LOOKS : MAX_VALUES;
  if (stillPolls++ > mostPolls) return;
  systemView.value = { id: mirror.id, name: mirror.name, instances, polledAt };
}

/** @param onAnswer receives the instances of each poll */
export function useInstances(
  onAnswer: (instances: readonly Instance[], polledAt: number) => void = () => {},
): SystemView {
  const view = systemView.value;
  useEffect(() => {
    if (view.instances.length > 0) onAnswer(view.instances, view.polledAt);
  }, [view]);
  return view;
}

// State of a graph's event processor in the terms that tools expect.

import { Header } from "../../memory/layout.js";
import { nowSeconds } from "../../memory/time.js";
import { areEventsRunning } from "../../store/event-switches.js";
import type { GraphStore } from "../../store/graph-store.js";

/** Upper bounds in seconds of the reported stages: executor, short, medium, long. */
const HORIZONS = [30, 480, 7680, Number.POSITIVE_INFINITY] as const;

/** State of a timing-wheel stage, as tools expect it; the heap has no stages. */
export interface EventStage {
  readonly migration_cycle: 0;
  readonly migration_margin: 0;
  /** Seconds from now. */
  readonly insertion_threshold: number;
  readonly items: number;
  readonly partial: { readonly interval: 0; readonly order: 0; readonly size: 1 };
}

/** State and parameters of the event processor of a graph. */
export interface EventParameters {
  readonly input: { readonly api: 0; readonly monitor: 0 };
  readonly state: { readonly running: boolean; readonly paused: boolean };
  readonly long: EventStage;
  readonly medium: EventStage;
  readonly short: EventStage;
  readonly executor: EventStage & { readonly completed: number };
}

/** Returns the state as one line. */
export function eventBacklog(store: GraphStore): string {
  const [executor, short, medium, long] = countByHorizon(store);
  const running = store.memory.header.words[Header.EventsRunning]!;
  const stages = `{L:${long} M:${medium} S:${short}} -> X:${executor}`;
  const state = areEventsRunning(store) ? "RUNNING" : "PAUSED";
  return (
    `Event Processor Backlog(${store.name}): ` +
    `IN[ 0 ] -> SCH[ ${stages} ] -> EXEC[ ${running} ] <${state}>`
  );
}

/** Returns state and parameters under the names that tools expect. */
export function eventParameters(store: GraphStore): EventParameters {
  const [executor, short, medium, long] = countByHorizon(store);
  const isRunning = areEventsRunning(store);
  return {
    input: { api: 0, monitor: 0 },
    state: { running: isRunning, paused: !isRunning },
    long: stage(HORIZONS[2], long),
    medium: stage(HORIZONS[1], medium),
    short: stage(HORIZONS[0], short),
    executor: {
      ...stage(0, executor),
      completed: store.memory.header.words[Header.EventsDone]!,
    },
  };
}

function stage(threshold: number, items: number): EventStage {
  return {
    migration_cycle: 0,
    migration_margin: 0,
    insertion_threshold: threshold,
    items,
    partial: { interval: 0, order: 0, size: 1 },
  };
}

/** Returns the scheduled events of executor, short, medium and long stage. */
function countByHorizon(store: GraphStore): [number, number, number, number] {
  const now = nowSeconds();
  const counts = store.expiry.countBefore(HORIZONS.map((seconds) => now + seconds));
  return [counts[0]!, counts[1]!, counts[2]!, counts[3]!];
}

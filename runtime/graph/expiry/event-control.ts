// State of a graph's event processor, which any thread may ask for and change: it lies in shared
// memory.

import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { AccessError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";

/**
 * Bits of `Header.EventsSuspended`: by the graph's own switch, by that of the system, or because
 * what expires is removed where the graph is a replica of.
 */
export const EventPause = { Graph: 1, System: 2, Replica: 4 } as const;
type EventPauseBit = (typeof EventPause)[keyof typeof EventPause];

/** Seconds within which an event is due to count as one of the executor, short, medium, long. */
const HORIZONS = [30, 480, 7680, Number.POSITIVE_INFINITY] as const;

/** What tools expect of each stage of timing wheels; our one heap has no stages. */
export interface EventStage {
  readonly migration_cycle: 0;
  readonly migration_margin: 0;
  /** Seconds from now. */
  readonly insertion_threshold: number;
  readonly items: number;
  readonly partial: { readonly interval: 0; readonly order: 0; readonly size: 1 };
}

/** State and limits of the event processor of a graph. */
export interface EventParameters {
  readonly input: { readonly api: 0; readonly monitor: 0 };
  readonly state: { readonly running: boolean; readonly paused: boolean };
  readonly long: EventStage;
  readonly medium: EventStage;
  readonly short: EventStage;
  readonly executor: EventStage & { readonly completed: number };
}

/** False while what has expired is kept: by a switch, or because the graph is readonly. */
export function areEventsRunning(store: GraphStore): boolean {
  return Atomics.load(store.memory.header.ints, Header.EventsSuspended) === 0 && !store.isReadonly;
}

/**
 * Lets what has expired be removed, or keeps it; both switches have to allow it.
 * @throws AccessError "Event processor cannot be enabled for readonly graph"
 */
export function setEventsEnabled(
  store: GraphStore,
  isEnabled: boolean,
  pause: EventPauseBit = EventPause.Graph,
): void {
  const { ints } = store.memory.header;
  if (!isEnabled) Atomics.or(ints, Header.EventsSuspended, pause);
  else if (pause !== EventPause.Graph || !store.isReadonly) {
    Atomics.and(ints, Header.EventsSuspended, ~pause);
  } else throw new AccessError("Event processor cannot be enabled for readonly graph");
}

/** State in one line. */
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

/** State and limits under the names that tools know. */
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

/** Events of the executor, then short, medium and long. */
function countByHorizon(store: GraphStore): [number, number, number, number] {
  const now = nowSeconds();
  const counts = store.expiry.countBefore(HORIZONS.map((seconds) => now + seconds));
  return [counts[0]!, counts[1]!, counts[2]!, counts[3]!];
}

// An age that updates itself, independent of its page.

import { computed, signal } from "@preact/signals";
import { isHeld } from "../data/range.js";
import { age, duration } from "../data/text.js";

const SECOND_MS = 1000;
const SLOW_SECONDS = 15;

/** Ticks each second while the page is visible and live. */
const clock = signal(0);
/** Ticks a few times a minute. */
const slowClock = computed(() => Math.floor(clock.value / SLOW_SECONDS));

setInterval(() => {
  if (!document.hidden && !isHeld.value) clock.value++;
}, SECOND_MS);

interface AgeProps {
  /** Seconds. */
  readonly of: () => number;
  /** Shows seconds; otherwise only the largest units. */
  readonly isExact?: boolean;
}

export function Age({ of, isExact = false }: AgeProps) {
  // Subscribes to the clock.
  void (isExact ? clock : slowClock).value;
  return <>{isExact ? duration(of()) : age(of())}</>;
}

// Signals that change while the page is visible and live: what shows an age reads one.

import { computed, signal } from "@preact/signals";
import { isHeld } from "./range.js";

const SECOND_MS = 1000;
const SLOW_SECONDS = 15;

/** Changes each second. */
export const clock = signal(0);
/** Changes a few times a minute. */
export const slowClock = computed(() => Math.floor(clock.value / SLOW_SECONDS));

setInterval(() => {
  if (!document.hidden && !isHeld.value) clock.value++;
}, SECOND_MS);

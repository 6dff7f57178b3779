// The time range of all pages, and whether they follow (live) or hold.

import { signal } from "@preact/signals";

export interface Range {
  readonly seconds: number;
  readonly title: string;
}

/** The ranges that the server keeps windows of, the shortest first. */
export const RANGES: readonly Range[] = [
  { seconds: 300, title: "Last 5 min" },
  { seconds: 3600, title: "Last hour" },
  { seconds: 86_400, title: "Last 24 h" },
];

export const range = signal<Range>(RANGES[0]!);

/** Polls pause while pages hold. */
export const isHeld = signal(false);

/** @param step 1: the next longer range, -1: the next shorter one */
export function changeRange(step: 1 | -1): void {
  const at = RANGES.indexOf(range.value) + step;
  range.value = RANGES[Math.min(RANGES.length - 1, Math.max(0, at))]!;
}

export function toggleHold(): void {
  isHeld.value = !isHeld.value;
}

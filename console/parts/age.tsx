// An age that goes on while nothing else of its page changes.

import { clock, slowClock } from "../data/clock.js";
import { age, duration } from "../data/text.js";

interface AgeProps {
  /** Seconds. */
  readonly of: () => number;
  /** Shows each second; otherwise the largest units. */
  readonly isExact?: boolean;
}

export function Age({ of, isExact = false }: AgeProps) {
  // Read, so that it is drawn again.
  void (isExact ? clock : slowClock).value;
  return <>{isExact ? duration(of()) : age(of())}</>;
}

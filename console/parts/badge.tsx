// A state, shown as shape, word and color.

import type { State } from "../data/instance-state.js";

interface BadgeProps {
  readonly state: Pick<State, "tone" | "word">;
  /** Draws a background. */
  readonly isPill?: boolean;
}

export function Badge({ state: { tone, word }, isPill = false }: BadgeProps) {
  return (
    <span class={`st ${tone}${isPill ? " pill" : ""}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <StateShape tone={tone} />
      </svg>
      {word}
    </span>
  );
}

/** Shape of a state in a square of 12 units, in the color of the text. */
export function StateShape({ tone }: { readonly tone: State["tone"] }) {
  switch (tone) {
    case "ok":
      return (
        <>
          <circle cx="6" cy="6" r="5.4" fill="currentColor" />
          <path class="cut" d="M3.5 6.2l1.7 1.7 3.3-3.6" />
        </>
      );
    case "warn":
      return <path d="M6 .8l5.6 10.2H.4z" fill="currentColor" />;
    case "err":
      return (
        <>
          <path d="M3.6.6h4.8l3 3v4.8l-3 3H3.6l-3-3V3.6z" fill="currentColor" />
          <path class="cut" d="M4.2 4.2l3.6 3.6M7.8 4.2L4.2 7.8" />
        </>
      );
    case "unk":
      return <circle class="dash" cx="6" cy="6" r="4.8" />;
  }
}

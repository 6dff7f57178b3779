// Content beside the main one: always open in wide windows, and folded below a title in narrow
// ones, where the main content would be a screen away.

import type { ComponentChildren } from "preact";

/** As in style/narrow.css. */
const WIDE = "(min-width: 40.01rem)";

interface FoldProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Fold({ title, children }: FoldProps) {
  return (
    <details class="fold" open={matchMedia(WIDE).matches}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

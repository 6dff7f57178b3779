// Secondary content: open in wide windows, and collapsed in narrow ones, where it would push the
// main content down.

import type { ComponentChildren } from "preact";

/** Must match style/narrow.css. */
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

// Heading of a page, with a sentence about it and its controls at the right.

import type { ComponentChildren } from "preact";
import { clipForDisplay } from "../data/text.js";

interface PageHeadProps {
  readonly title: string;
  readonly about?: string;
  /** Beside the title. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function PageHead({ title, about = "", beside, children }: PageHeadProps) {
  return (
    <div class="head">
      <h1>{clipForDisplay(title, 80)}</h1>
      {beside}
      {about !== "" && <span class="soft">{clipForDisplay(about)}</span>}
      {children !== undefined && <span class="end row">{children}</span>}
    </div>
  );
}

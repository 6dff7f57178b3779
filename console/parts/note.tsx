// A message above the content of a page, with actions that solve the problem.

import type { ComponentChildren } from "preact";
import { Icon } from "./icon.js";

interface NoteProps {
  readonly isError?: boolean;
  readonly id?: string;
  /** Screen readers announce it at once. */
  readonly isAlert?: boolean;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Note({ isError = true, id, isAlert = false, actions, children }: NoteProps) {
  return (
    <div class={isError ? "note err" : "note"} id={id} role={isAlert ? "alert" : undefined}>
      <Icon name="warn" />
      <div class="grow msg">{children}</div>
      {actions}
    </div>
  );
}

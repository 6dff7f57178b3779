// A link within the console: navigates without a reload, unless the user opens another window.

import type { ComponentChildren } from "preact";
import { navigate } from "../router.js";

interface PageLinkProps {
  /** A page and its state, such as `plugin?name=hello`. */
  readonly to: string;
  readonly current?: "page" | "true" | undefined;
  /** Accessible label, if the text alone is ambiguous. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function PageLink({ to, current, label, children }: PageLinkProps) {
  return (
    <a
      href={to}
      aria-current={current}
      aria-label={label}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

// A link within the console: navigates without a reload, unless the user opens another window.

import type { ComponentChildren } from "preact";
import { navigate } from "../router.js";

interface PageLinkProps {
  /** Page and its state, such as `plugin?name=hello`. */
  readonly to: string;
  readonly current?: "page" | "true" | undefined;
  /** Accessible label, if the text alone is ambiguous. */
  readonly label?: string;
  readonly className?: string;
  /** Tooltip. */
  readonly tip?: string;
  /** Called before navigation. */
  readonly onGo?: () => void;
  readonly children: ComponentChildren;
}

export function PageLink({ to, current, label, className, tip, onGo, children }: PageLinkProps) {
  return (
    <a
      href={to}
      class={className}
      title={tip}
      aria-current={current}
      aria-label={label}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onGo?.();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

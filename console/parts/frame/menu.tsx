// A button that opens a list below it. Escape and a click elsewhere close the list.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../icon.js";

interface MenuProps {
  /** Content of the button. */
  readonly face: ComponentChildren;
  readonly className?: string;
  readonly children: ComponentChildren;
}

export function Menu({ face, className = "", children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const { current: element } = details;
      if (element === null || !element.open) return;
      const isOutside = !element.contains(event.target as Node);
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      if (isEscape) element.querySelector("summary")!.focus();
      if (isEscape || (event.type === "click" && isOutside)) element.open = false;
    };
    addEventListener("click", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("click", close);
      removeEventListener("keydown", close);
    };
  }, []);
  return (
    <details class="menu" ref={details}>
      <summary class={`btn ${className}`}>
        {face}
        <Icon name="down" isCaret />
      </summary>
      {/* A click on an item closes the list. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its items have the keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on an item clicks, too */}
      <div class="float list" onClick={() => details.current?.removeAttribute("open")}>
        {children}
      </div>
    </details>
  );
}

// A decorative icon: the adjacent text or the label of the button has the meaning.

import { ICONS, type IconName } from "./icons.js";

export function Icon({ name, isCaret = false }: { name: IconName; isCaret?: boolean }) {
  return (
    <svg class={isCaret ? "i caret" : "i"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

// Button that copies a text and confirms it for a moment.

import { useState } from "preact/hooks";
import { Icon } from "./icon.js";

const SAID_MS = 1500;

interface CopyButtonProps {
  readonly text: string;
  /** Name of the text, for the label. */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [isSaid, setSaid] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text);
    setSaid(true);
    setTimeout(() => setSaid(false), SAID_MS);
  };
  const label = isSaid ? `${what} copied` : `Copy ${what}`;
  return (
    <button
      type="button"
      class="btn icon bare"
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isSaid ? "check" : "copy"} />
    </button>
  );
}

// Button that copies a text and confirms it for a moment.

import { useState } from "preact/hooks";
import { Icon } from "./icon.js";

const CONFIRMATION_MS = 1500;

interface CopyButtonProps {
  readonly text: string;
  /** Name of the text, for the label. */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRMATION_MS);
  };
  const label = isCopied ? `${what} copied` : `Copy ${what}`;
  return (
    <button
      type="button"
      class="btn icon bare"
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
}

// A scrollable block of text with an accessible name.

import { showLines } from "../data/text.js";

interface TextBlockProps {
  readonly label: string;
  readonly text: string;
}

export function TextBlock({ label, text }: TextBlockProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="text" tabIndex={0} aria-label={label}>
      <pre>{showLines(text)}</pre>
    </section>
  );
}

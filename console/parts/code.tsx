// Code or JSON with syntax colors, in a block that scrolls. The scanner is simple: its errors only
// affect colors.

import { showLines } from "../data/text.js";

interface CodeProps {
  readonly label: string;
  readonly text: string;
  readonly isJson?: boolean;
}

/** Maximum length of text with colors. */
const MAX_COLORED = 20_000;
const WORDS =
  "await|as|const|curl|def|false|for|from|import|in|lambda|new|None|null|of|print|return|true|with";
const PARTS = new RegExp(
  String.raw`("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')(\s*:)?|\b(${WORDS})\b|\b\d+(?:\.\d+)?\b`,
  "g",
);

export function Code({ label, text, isJson = false }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="code" tabIndex={0} aria-label={label}>
      {text.length > MAX_COLORED ? showLines(text) : colorTokens(showLines(text), isJson)}
    </section>
  );
}

function colorTokens(text: string, isJson: boolean) {
  const tokens = [];
  let at = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, literal, colon, word] = match;
    if (match.index > at) tokens.push(text.slice(at, match.index));
    const isName = isJson && colon !== undefined;
    const className = literal !== undefined ? (isName ? "k" : "t") : word !== undefined ? "k" : "d";
    tokens.push(<span class={className}>{literal ?? whole}</span>);
    if (literal !== undefined && colon !== undefined) tokens.push(colon);
    at = match.index + whole.length;
  }
  return [...tokens, text.slice(at)];
}

// Reads highlights, which the server sends as HTML: text with `<em>` around matches. They become
// parts of text, so that no markup of the server is ever interpreted.

export interface MarkedPart {
  readonly text: string;
  readonly isMarked: boolean;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"' },
};

/** Everything other than `<em>`, `</em>` and the four escaped characters is text. */
export function parseMarks(html: string): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let isMarked = false;
  for (const piece of html.split(/(<\/?em>)/)) {
    if (piece === "<em>" || piece === "</em>") isMarked = piece === "<em>";
    else if (piece !== "") parts.push({ text: unescapeHtml(piece), isMarked });
  }
  return parts;
}

function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => CHARACTERS[name]!);
}

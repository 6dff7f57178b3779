// Text of a literal TypeScript expression, with the source position of each character, so that
// errors in the text can be located.

import { ts } from "ts-morph";

export class LiteralSource {
  text = "";
  readonly #locations: { readonly sourceFile: ts.SourceFile; readonly offset: number }[] = [];

  /** Appends characters that share one position. */
  add(characters: string, sourceFile: ts.SourceFile, offset: number): void {
    for (let index = 0; index < characters.length; index++) {
      this.#locations.push({ sourceFile, offset });
    }
    this.text += characters;
  }

  append(other: LiteralSource): void {
    this.text += other.text;
    for (const location of other.#locations) this.#locations.push(location);
  }

  /** Returns the position of a character; past the end, that of the last character. */
  locate(index: number): { readonly sourceFile: ts.SourceFile; readonly offset: number } {
    return this.#locations[Math.min(index, this.#locations.length - 1)]!;
  }
}

/** Matches one character of a literal as written, including escapes. */
const CHARACTER =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])|\r\n|[\s\S]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", 0: "\0" },
  ...{ "\n": "", "\r": "", "\r\n": "" },
};

/** Returns the text between two offsets of a literal, without its quotes. */
function readBetween(sourceFile: ts.SourceFile, from: number, to: number): LiteralSource {
  const spelled = new LiteralSource();
  for (const [written] of sourceFile.text.slice(from, to).matchAll(CHARACTER)) {
    spelled.add(unescapeCharacter(written), sourceFile, from);
    from += written.length;
  }
  return spelled;
}

function unescapeCharacter(written: string): string {
  if (!written.startsWith("\\")) return written === "\r\n" ? "\n" : written;
  const code = written.slice(1);
  if (/^[ux].+/s.test(code)) {
    return String.fromCodePoint(Number.parseInt(code.replace(/[ux{}]/g, ""), 16));
  }
  return ESCAPES[code] ?? code;
}

/** Reads a literal without embedded values. */
export function readStringLiteral(node: ts.StringLiteralLike): LiteralSource {
  const sourceFile = node.getSourceFile();
  return readBetween(sourceFile, node.getStart(sourceFile) + 1, node.end - 1);
}

/** Reads a template with placeholders for its values. */
export function readTemplateLiteral(
  template: ts.TemplateLiteral,
  placeholder: (value: ts.Expression) => string,
): LiteralSource {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return readStringLiteral(template);
  const sourceFile = template.getSourceFile();
  const { head } = template;
  const spelled = readBetween(sourceFile, head.getStart(sourceFile) + 1, head.end - 2);
  for (const { expression, literal } of template.templateSpans) {
    spelled.add(placeholder(expression), sourceFile, expression.getStart(sourceFile));
    const isLast = literal.kind === ts.SyntaxKind.TemplateTail;
    const from = literal.getStart(sourceFile) + 1;
    spelled.append(readBetween(sourceFile, from, literal.end - (isLast ? 1 : 2)));
  }
  return spelled;
}

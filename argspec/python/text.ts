// Prints values and comments into generated Python. Texts come from plugin authors or an untrusted
// argspec: none may end a string or comment, or become code.

/** Characters that editors hide or misrender, except blanks and newlines. */
const UNSEEN = /[^\P{C}\p{Cs}]|[\p{Zl}\p{Zp}]/gu;

/** Returns a string as a Python literal. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (char) => {
    const code = char.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** Returns a JSON value as a Python literal. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return stringLiteral(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const members = Object.entries(value).map(([key, item]) => `${literal(key)}: ${literal(item)}`);
  return `{${members.join(", ")}}`;
}

/** Removes invisible characters from a text of any number of lines. */
export function plainText(text: string): string {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  return lines
    .map((line) =>
      line
        .replaceAll("\t", "    ")
        .replace(UNSEEN, "")
        .replace(/\p{Cs}/gu, "\ufffd")
        .trimEnd(),
    )
    .join("\n")
    .trim();
}

/** Removes invisible characters, and joins the lines. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ");
}

/** @param parts paragraphs of plain text; empty ones are left out */
export function docstring(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== "").join("\n\n");
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replace(/"""|"$/g, (quotes) => quotes.replaceAll('"', '\\"'));
  if (escaped === "") return "";
  return escaped.includes("\n") ? `"""${escaped}\n"""\n` : `"""${escaped}"""\n`;
}

/** Indents every non-empty line. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}

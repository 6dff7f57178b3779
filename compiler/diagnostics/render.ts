// Renders diagnostics for a terminal, in the format that editors parse:
//
//   plugins/add.ts:4:17 - error SVC1021: plugin name `add` is used twice
//
//   4 | export function add(request: PluginRequest) {
//     |                 ^^^
//     = write instead: another name

import type { Diagnostic } from "./diagnostic.js";
import { sortDiagnostics } from "./sort.js";

export interface RenderOptions {
  readonly color: boolean;
}

/**
 * Renders diagnostics sorted by position, with a source frame each and a summary line.
 *
 * @param readSource returns the text of a source file by its path; null if missing
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  readSource: (file: string) => string | null,
  { color }: RenderOptions,
): string {
  const sorted = sortDiagnostics(diagnostics);
  if (sorted.length === 0) return "";
  const paint = color ? paintAnsi : (_style: Style, text: string) => text;
  const files = new Map<string, readonly string[]>();
  const lineOf = (file: string, line: number): string | undefined => {
    let lines = files.get(file);
    if (!lines) {
      lines = readSource(file)?.split(/\r?\n/) ?? [];
      files.set(file, lines);
    }
    return lines[line - 1];
  };
  const blocks = sorted.map((diagnostic) => {
    const { file, line } = diagnostic.position;
    return renderOne(diagnostic, lineOf(file, line), paint);
  });
  return `${blocks.join("\n")}\n${countLine(sorted)}\n`;
}

function renderOne(diagnostic: Diagnostic, line: string | undefined, paint: Paint): string {
  const { code, severity, position, message, help } = diagnostic;
  const location = `${printable(position.file)}:${position.line}:${position.column}`;
  const kind = paint(severity, severity);
  const text = printable(message);
  const head = `${paint("place", location)} - ${kind} ${paint("quiet", `${code}:`)} ${text}`;
  const margin = " ".repeat(String(position.line).length);
  const frame = line === undefined ? "" : renderFrame(diagnostic, line, margin, paint);
  const label = `${margin} ${paint("quiet", "=")} write instead:`;
  const advice = help === "" ? "" : `${label} ${printable(help)}\n`;
  return `${head}\n${frame}${advice}`;
}

/** Longer lines are truncated: frames of minified files are unreadable. */
const MAX_FRAME_WIDTH = 160;

function renderFrame(
  { position, severity, length }: Diagnostic,
  line: string,
  margin: string,
  paint: Paint,
): string {
  const shown = printable(line.slice(0, MAX_FRAME_WIDTH));
  const start = Math.min(position.column - 1, shown.length);
  const room = Math.max(1, shown.length - start);
  const carets = "^".repeat(Math.max(1, Math.min(length, room)));
  // Tabs stay tabs, so that the carets align in any terminal.
  const indent = shown.slice(0, start).replace(/[^\t]/g, " ");
  const bar = paint("quiet", "|");
  return (
    `\n${paint("quiet", String(position.line))} ${bar} ${shown}\n` +
    `${margin} ${bar} ${indent}${paint(severity, carets)}\n`
  );
}

/** Replaces control characters, so that source text cannot control the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be replaced
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/g, "\ufffd");
}

function countLine(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const counts = [count(errors, "error"), count(diagnostics.length - errors, "warning")];
  return counts.filter((text) => text !== "").join(", ");
}

function count(n: number, noun: string): string {
  if (n === 0) return "";
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}

type Style = Diagnostic["severity"] | "place" | "quiet";
type Paint = (style: Style, text: string) => string;

const SGR: Readonly<Record<Style, number>> = { error: 31, warning: 33, place: 36, quiet: 90 };

function paintAnsi(style: Style, text: string): string {
  return `\u001b[${SGR[style]}m${text}\u001b[39m`;
}

// Stack frames of plugin code, mapped to the TypeScript sources. Source maps are read when the
// first error of a bundle is reported, and cached.

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILD_FOLDER } from "../../base/build-folder.js";
import { errorName, getErrorMessage, isInstance } from "./describe-error.js";

const MAX_LINES = 20;
const MAX_FRAME_LENGTH = 4096;
const MAX_CAUSES = 4;
/** Frames captured, before those of the library and of packages are removed. */
const MAX_STACK = 60;
/** Frames below this function are callers of the plugin. */
const CALLER = "runPlugin";
/** The folder of svc itself: `dist/` when built, `runtime/` in the sources. */
const OWN_FOLDER = fileURLToPath(
  new URL(".", import.meta.url.replace(/runtime\/plugin\/[^/]*\/[^/]*$/, "runtime/x")),
);

/** `    at name (place:line:column)` or `    at place:line:column`, either with `async`. */
const FRAME = /^\s+at (?:(.*?) \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;

interface SourcePosition {
  /** Displayed path. */
  readonly file: string;
  /** Absolute path. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

interface Bundle {
  readonly map: SourceMap;
  readonly file: string;
}

/** Whether errors contain frames of plugin code (setting `http.stackTraces`). */
let isShown = true;

/** Sets whether errors of this thread contain frames of plugin code. */
export function showStackTraces(isTracebackShown: boolean): void {
  isShown = isTracebackShown;
}

const bundles = new Map<string, Bundle | null>();

/** Raises the stack trace limit of this thread: Node's 10 frames may all be the library's. */
export function raiseStackTraceLimit(): void {
  Error.stackTraceLimit = MAX_STACK;
}

/** Describes a thrown value: its message and plugin frames, and those of its causes. */
export function describeUncaught(thrown: unknown): string {
  const description = withFrames(thrown) ?? stackOf(thrown) ?? strayMessage(thrown);
  const causes = listCauses(thrown).map((cause) => withFrames(cause) ?? strayMessage(cause));
  return description + causes.map((text) => `\ncaused by ${text}`).join("");
}

/** Returns the causes of an error for clients, outermost first; none without stack traces. */
export function causesForClients(thrown: unknown): unknown[] {
  return isShown ? listCauses(thrown) : [];
}

function listCauses(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = causeOf(thrown); cause !== null; cause = causeOf(cause.value)) {
    // Causes may be cyclic.
    if (causes.length === MAX_CAUSES) break;
    causes.push(cause.value);
  }
  return causes;
}

/** Returns whether plugin code is on the stack of an error. */
export function hasPluginFrames(thrown: unknown): boolean {
  return framesSafely(thrown).length > 0;
}

/** Returns null without frames of plugin code. */
function withFrames(thrown: unknown): string | null {
  const frames = framesSafely(thrown);
  return frames.length === 0 ? null : `${strayMessage(thrown)}\n${frames.join("").trimEnd()}`;
}

function strayMessage(thrown: unknown): string {
  if (!isInstance(thrown, Error)) return getErrorMessage(thrown);
  return `${errorName(thrown)}: ${getErrorMessage(thrown) || codeOf(thrown)}`;
}

/**
 * Returns the code of an error without a message, such as an AggregateError of failed connections.
 */
function codeOf(error: Error): string {
  try {
    return String((error as { code?: unknown }).code ?? "");
  } catch {
    return "";
  }
}

function causeOf(thrown: unknown): { readonly value: unknown } | null {
  try {
    const cause = thrown instanceof Error ? thrown.cause : null;
    return cause === undefined || cause === null ? null : { value: cause };
  } catch {
    return null;
  }
}

function stackOf(thrown: unknown): string | null {
  try {
    const stack = thrown instanceof Error ? thrown.stack : null;
    return typeof stack === "string" ? stack : null;
  } catch {
    return null;
  }
}

/** Returns frames of plugin code, innermost first, one per line; empty for none. */
export function pluginFrames(thrown: unknown): string[] {
  return isShown ? framesSafely(thrown) : [];
}

function framesSafely(thrown: unknown): string[] {
  try {
    return framesOf(thrown);
  } catch {
    // The stack belongs to the plugin and may be any value, even a getter that throws.
    return [];
  }
}

function framesOf(thrown: unknown): string[] {
  const frames: string[] = [];
  for (const { name, position } of placesOf(thrown)) {
    const where = `${position.file}:${position.line}:${position.column}`;
    frames.push(name === undefined ? `    at ${where}\n` : `    at ${name} (${where})\n`);
    if (frames.length === MAX_LINES) break;
  }
  return frames;
}

interface PluginFrame {
  /** Function name; undefined for none. */
  readonly name: string | undefined;
  readonly position: SourcePosition;
}

/** Yields positions in plugin code, innermost first. */
function* placesOf(thrown: unknown): Generator<PluginFrame, undefined> {
  if (!(thrown instanceof Error) || typeof thrown.stack !== "string") return;
  const { message, stack } = thrown;
  // The stack begins with the message, which may contain client text that imitates frames.
  const start = stack.indexOf(message);
  const lines = start < 0 ? stack : stack.slice(start + message.length);
  for (const line of lines.split("\n")) {
    const match = line.length > MAX_FRAME_LENGTH ? null : FRAME.exec(line);
    if (match === null) continue;
    const [, name, location, row, column] = match;
    if (name === CALLER) return;
    const position = placeOf(location!, Number(row), Number(column));
    if (position !== null) yield { name, position };
  }
}

/** Returns the innermost position in plugin code, with its file; null for none. */
export function innermostFrame(thrown: unknown): SourcePosition | null {
  try {
    return placesOf(thrown).next().value?.position ?? null;
  } catch {
    return null;
  }
}

/** Maps a position in a bundle to `file:line:column` of its sources; null without a source. */
export function sourceLocation(location: string, line: number, column: number): string | null {
  const position = placeOf(location, line, column);
  return position && `${position.file}:${position.line}:${position.column}`;
}

/** Describes why modules failed to load: Node reports an invalid import in terms of the bundle. */
export function loadFailure(thrown: unknown): string {
  const stack = thrown instanceof SyntaxError ? stackOf(thrown) : null;
  const [, location, line] = /^(file:.+):(\d+)\n/.exec(stack ?? "") ?? [];
  if (location === undefined) return describeUncaught(thrown);
  const position = sourceLocation(location, Number(line), 1);
  return position === null ? stack! : `${position}: ${strayMessage(thrown)}`;
}

/** Returns null for frames outside plugin code. */
function placeOf(location: string, line: number, column: number): SourcePosition | null {
  const file = filePath(location);
  if (file === null || file.startsWith(OWN_FOLDER)) return null;
  const bundle = bundleOf(location, file);
  if (bundle !== null) return mappedPlace(bundle, line, column);
  // Unmapped files in the build folder are generated: converters, the plugin table.
  const isOther = inModules(file) || dirname(file).endsWith(sep + BUILD_FOLDER);
  return isOther ? null : { file: shown(process.cwd(), file), path: file, line, column };
}

/** Returns the path of a frame's file; null for frames of Node itself and for evaluated code. */
function filePath(location: string): string | null {
  if (location.startsWith("file://")) return fileURLToPath(location.replace(/[?#].*$/, ""));
  return location.startsWith(sep) ? location : null;
}

function bundleOf(location: string, file: string): Bundle | null {
  const cached = bundles.get(location);
  if (cached !== undefined) return cached;
  let bundle: Bundle | null = null;
  try {
    bundle = { map: new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8"))), file };
  } catch {
    // Without a source map, the generated file itself is shown.
  }
  bundles.set(location, bundle);
  return bundle;
}

function mappedPlace(bundle: Bundle, line: number, column: number): SourcePosition | null {
  const entry = bundle.map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry)) return null;
  const folder = dirname(bundle.file);
  const file = resolve(folder, entry.originalSource);
  if (file.startsWith(folder + sep) || inModules(file)) return null;
  const project = folder.endsWith(sep + BUILD_FOLDER) ? dirname(folder) : process.cwd();
  return {
    file: shown(project, file),
    path: file,
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

function inModules(file: string): boolean {
  return file.includes(`${sep}node_modules${sep}`);
}

function shown(base: string, file: string): string {
  return relative(base, file).replaceAll(sep, "/");
}

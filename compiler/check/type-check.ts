// Runs the native TypeScript compiler in a child process, in parallel with reading. It is several
// times faster than type checking in this process.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { writeCheckConfig } from "../config/check-config.js";
import { type Diagnostic, underlineLength } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sort.js";
import { TSCONFIG_FILE } from "../tsconfig.js";
import { findTypeScript, hasOldTypeScript } from "./find-typescript.js";

/** With the default of 100, garbage collection takes a quarter of the CPU time of a check. */
const GARBAGE_PERCENT = "400";

export interface TypeCheck {
  /** TypeScript's errors; null if cancelled. Rejects with SVC1060 if the check cannot run. */
  readonly result: Promise<Diagnostic[] | null>;
  cancel(): void;
}

/**
 * Starts to check the plugin files and their imports with the project's compiler options.
 *
 * @param projectDir folder of the project
 * @param files plugin files, absolute or relative to the project
 * @param tsconfig path of tsconfig.json, relative to the project
 */
export function startTypeCheck(
  projectDir: string,
  files: readonly string[],
  tsconfig = TSCONFIG_FILE,
): TypeCheck {
  const isFormer = hasOldTypeScript(projectDir);
  const config = writeCheckConfig(projectDir, files, { tsconfig, isFormer });
  const [command, ...first] = findTypeScript(projectDir);
  const child = spawn(command, [...first, "--noEmit", "--pretty", "false", "-p", config.path], {
    cwd: projectDir,
    env: { GOGC: GARBAGE_PERCENT, ...process.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const cancelled = new AbortController();
  const result = outcome(child, cancelled.signal)
    .then((ended) =>
      ended ? readOutput(projectDir, { config: config.path, tsconfig }, ended) : null,
    )
    .finally(config.remove);
  return {
    result,
    cancel: () => {
      cancelled.abort();
      child.kill();
    },
  };
}

interface Outcome {
  readonly output: string;
  /** Describes how the process ended if it did not end normally. */
  readonly failure: string | null;
}

/** Resolves with null as soon as it is cancelled, without waiting for the process to end. */
function outcome(child: ChildProcess, cancelled: AbortSignal): Promise<Outcome | null> {
  return new Promise((resolveOutcome) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    cancelled.addEventListener("abort", () => resolveOutcome(null));
    child.on("error", (error) => resolveOutcome({ output, failure: error.message }));
    child.on("close", (code, signal) => {
      const isNormal = code !== null && code <= 2;
      const failure = isNormal ? null : `ended with ${signal ?? `exit code ${code}`}`;
      resolveOutcome({ output, failure });
    });
  });
}

const LINE = /^(?:(.+)\((\d+),(\d+)\): )?(error|warning) (TS\d+): (.*)$/;

/** Parses the output. Attributes diagnostics about the temporary configuration to the project's. */
function readOutput(
  projectDir: string,
  { config, tsconfig }: { readonly config: string; readonly tsconfig: string },
  { output, failure }: Outcome,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const other: string[] = [];
  const lines = new SourceLines(projectDir);
  for (const text of output.split(/\r?\n/)) {
    const match = LINE.exec(text);
    const last = diagnostics.at(-1);
    const isOfConfig = match?.[1] !== undefined && resolve(projectDir, match[1]) === config;
    if (match && (isOfConfig || match[1] === undefined)) match.splice(1, 3, tsconfig, "1", "1");
    if (match) diagnostics.push(toDiagnostic(match, lines));
    else if (last && /^\s/.test(text)) append(diagnostics, last, text);
    else if (text.trim() !== "") other.push(text);
  }
  if (failure !== null || (diagnostics.length === 0 && other.length > 0)) {
    const reason = [failure ?? "unexpected output", ...other.slice(0, 5)].join("\n");
    throw new SvcError("SVC1060", `type check failed to run: ${reason}`);
  }
  return sortDiagnostics(diagnostics);
}

/** Indented lines belong to the diagnostic above them. */
function append(diagnostics: Diagnostic[], last: Diagnostic, text: string): void {
  diagnostics[diagnostics.length - 1] = { ...last, message: `${last.message}\n${text}` };
}

function toDiagnostic(match: RegExpExecArray, lines: SourceLines): Diagnostic {
  const [, file, line, column, severity, code, message] = match;
  const position = { file: file!, line: Number(line), column: Number(column) };
  return {
    code: code!,
    severity: severity as Diagnostic["severity"],
    position,
    length: underlineLength(lines.at(file!, position.line), position.column),
    message: message!,
    help: code === "TS2503" && message!.includes("'Temporal'") ? TEMPORAL_HELP : "",
  };
}

const TEMPORAL_HELP =
  '`"lib": ["esnext"]` in tsconfig.json, and Node.js 26 or a package that sets `Temporal`';

/** Caches the lines of files that have diagnostics. */
class SourceLines {
  readonly #files = new Map<string, readonly string[]>();

  constructor(readonly projectDir: string) {}

  at(file: string, line: number): string {
    let lines = this.#files.get(file);
    if (!lines) {
      lines = readLines(resolve(this.projectDir, file));
      this.#files.set(file, lines);
    }
    return lines[line - 1] ?? "";
  }
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    // An unreadable file has no text to underline.
    return [];
  }
}

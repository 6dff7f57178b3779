// Evaluates a project file such as `svc.config.ts` and returns its default export. It is bundled
// first, so it can import other files and be TypeScript on every Node.js version.

import { rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../runtime/base/errors.js";
import { removeStaleOutput } from "../stale-output.js";
import { blockProcessExit } from "./block-process-exit.js";

const LEFTOVERS = /^\..+\.[cm]?[jt]s\.(\d+)\.\w+\.mjs$/;

export interface Evaluated {
  readonly value: unknown;
  /** Files that it depends on, relative to the project. */
  readonly inputs: readonly string[];
  /**
   * Code of the file if its value can change although its inputs do not, for example because it
   * reads the environment.
   */
  readonly openCode: string | null;
}

export interface Expected {
  /** Module of this package that the file imports, and the implementation it gets. */
  readonly name: string;
  readonly contents: string;
  /** Example for the error message. */
  readonly example: string;
  /** Error code if the file does not run. */
  readonly code: "SVC1101" | "SVC1180";
}

/** Time limit for top-level awaits of the file. */
const LOAD_MS = 30_000;

/** Code without any of these words depends only on itself. */
const OPEN = /\b(?:process|import|globalThis|Date|Math|crypto|performance|require|fetch)\b/;

/**
 * @param file path relative to the project
 * @throws SvcError with the given code if the file does not run, SVC1105 if its folder cannot be
 *   written
 */
export async function evaluate(
  projectDir: string,
  file: string,
  expected: Expected,
): Promise<Evaluated> {
  try {
    const { code, inputs } = await bundle(projectDir, file, expected);
    const value = await run(join(projectDir, file), code, expected);
    return { value, inputs, openCode: OPEN.test(code) ? code : null };
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw failedToLoad(expected.code, file, error);
  }
}

export function failedToLoad(code: Expected["code"], file: string, cause: unknown): SvcError {
  return new SvcError(code, `failed to load ${file}: ${messageOf(cause)}`, { cause });
}

async function run(path: string, code: string, expected: Expected): Promise<unknown> {
  const file = basename(path);
  // Write the copy next to the original, so that its imports of packages resolve.
  const folder = dirname(path);
  removeStaleOutput(folder, LEFTOVERS);
  const unique = `${process.pid}.${Date.now().toString(36)}`;
  const copy = join(folder, `.${file}.${unique}.mjs`);
  try {
    writeFileSync(copy, code);
  } catch (error) {
    throw new SvcError("SVC1105", `${copy} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
  try {
    const module = await blockProcessExit(file, expected.code, () => withTimeout(importFile(copy)));
    if (module.default === undefined) {
      throw new Error(`no default export; write ${expected.example}`);
    }
    return module.default;
  } finally {
    rmSync(copy, { force: true });
  }
}

/**
 * Rejects after a time limit: a promise that never settles would end the process silently, or hang
 * it.
 */
async function withTimeout<T>(loaded: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `top-level await did not settle within ${LOAD_MS / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), LOAD_MS);
  });
  try {
    return await Promise.race([loaded, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function importFile(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(file).href);
}

async function bundle(
  projectDir: string,
  file: string,
  { name, contents }: Expected,
): Promise<{ code: string; inputs: string[] }> {
  const { build } = await import("esbuild");
  const result = await build({
    absWorkingDir: projectDir,
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "silent",
    plugins: [
      {
        name: "svc-own-module",
        setup(setup) {
          setup.onResolve({ filter: /^svc-server\// }, ({ path }) => {
            return path === name ? { path, namespace: "svc" } : null;
          });
          setup.onLoad({ filter: /.*/, namespace: "svc" }, () => ({ contents }));
        },
      },
    ],
  });
  const inputs = Object.keys(result.metafile.inputs).filter((path) => !path.startsWith("svc:"));
  return {
    code: result.outputFiles[0]!.text,
    inputs: inputs.map((path) => posix.normalize(path)).sort(),
  };
}

/** Returns the error message, with file and line if esbuild reports them. */
function messageOf(error: unknown): string {
  const [first] = (error as { errors?: readonly EsbuildMessage[] }).errors ?? [];
  if (first !== undefined) {
    const at = first.location;
    return at ? `${at.file}:${at.line}:${at.column + 1}: ${first.text}` : first.text;
  }
  return error instanceof Error ? error.message : String(error);
}

interface EsbuildMessage {
  readonly text: string;
  readonly location: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
  } | null;
}

// Finds `svc.config.ts`, runs it, and resolves it to plain data. It is bundled first, so that it
// may import other files of the project and be written in TypeScript on every Node.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { SvcError } from "../../runtime/base/errors.js";
import { type ResolvedConfig, resolveConfig } from "../../runtime/settings/config-rule.js";
import { isPlainObject, type Problems } from "../../runtime/settings/rules.js";
import { removeLeftovers } from "../leftovers.js";
import { ConfigError } from "./config-error.js";

/** In order of preference. */
export const CONFIG_FILES = ["svc.config.ts", "svc.config.mjs", "svc.config.js"];

const LEFTOVERS = /^\.svc\.config\.\w+\.(\d+)\.\w+\.mjs$/;

export interface LoadedConfig {
  readonly config: ResolvedConfig;
  /** Files that the configuration was read from, relative to the project. */
  readonly inputs: readonly string[];
  /**
   * Its code, when it may say something else without any change to the inputs: it reads the
   * environment, say.
   */
  readonly openCode: string | null;
}

/** Words without which code can know nothing that is not written in it. */
const OPEN = /\b(?:process|import|globalThis|Date|Math|crypto|performance|require|fetch)\b/;

/**
 * Loads the configuration of a project; one without a file has the defaults.
 * @throws SvcError SVC1101 when the file does not run, ConfigError (SVC1102) for values that are
 *   not allowed
 */
export async function loadConfig(projectDir: string): Promise<LoadedConfig> {
  const file = CONFIG_FILES.find((name) => existsSync(join(projectDir, name)));
  const facts = packageFacts(projectDir);
  if (file === undefined) {
    return { config: withFacts(resolveConfig({}, []), facts), inputs: [], openCode: null };
  }
  const { value, inputs, openCode } = await runConfig(projectDir, file);
  const problems: Problems = [];
  const config = resolveConfig(value, problems);
  if (problems.length > 0) {
    throw new ConfigError(projectDir, file, problems);
  }
  return { config: withFacts(config, facts), inputs, openCode };
}

type PackageFacts = Readonly<Record<"name" | "version" | "license", string | null>>;

/** What the configuration does not say. */
function withFacts(config: ResolvedConfig, facts: PackageFacts): ResolvedConfig {
  const { version, license } = config.api;
  const api = {
    ...config.api,
    version: version ?? facts.version,
    license: license ?? facts.license,
  };
  return { ...config, name: config.name ?? facts.name, api };
}

function packageFacts(projectDir: string): PackageFacts {
  let info: unknown = null;
  try {
    info = JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8"));
  } catch {
    // A project without one has nothing to tell.
  }
  const given = isPlainObject(info) ? info : {};
  const textOf = (key: string) => (typeof given[key] === "string" ? given[key] : null);
  return { name: textOf("name"), version: textOf("version"), license: textOf("license") };
}

async function runConfig(
  projectDir: string,
  file: string,
): Promise<{ value: unknown; inputs: string[]; openCode: string | null }> {
  const { code, inputs } = await bundleConfig(projectDir, file);
  // Beside the original, so that the packages it imports are found.
  removeLeftovers(projectDir, LEFTOVERS);
  const copy = join(projectDir, `.${file}.${process.pid}.${Date.now().toString(36)}.mjs`);
  try {
    writeFileSync(copy, code);
    const module = await withoutExit(() => importConfig(copy));
    if (module.default === undefined) {
      throw new Error("it has no default export; write `export default defineConfig({ … })`");
    }
    return { value: module.default, inputs, openCode: OPEN.test(code) ? code : null };
  } catch (error) {
    throw new SvcError("SVC1101", `${file} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    rmSync(copy, { force: true });
  }
}

async function importConfig(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(file).href);
}

/** Whoever builds wants to know how it went: a configuration does not end the process. */
async function withoutExit<T>(run: () => Promise<T>): Promise<T> {
  const { exit, exitCode } = process;
  process.exit = (code) => {
    throw new Error(`it calls process.exit(${code ?? ""}); throw an error instead`);
  };
  try {
    return await run();
  } finally {
    process.exit = exit;
    process.exitCode = exitCode;
  }
}

async function bundleConfig(
  projectDir: string,
  file: string,
): Promise<{ code: string; inputs: string[] }> {
  const { build } = await import("esbuild");
  try {
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
          // Works before the package is installed in the project, too.
          name: "svc-config",
          setup(setup) {
            setup.onResolve({ filter: /^svc-server\/config$/ }, ({ path }) => ({
              path,
              namespace: "svc",
            }));
            setup.onLoad({ filter: /.*/, namespace: "svc" }, () => ({
              contents: "export const defineConfig = (config) => config;",
            }));
          },
        },
      ],
    });
    const inputs = Object.keys(result.metafile.inputs).filter((path) => !path.startsWith("svc:"));
    return {
      code: result.outputFiles[0]!.text,
      inputs: inputs.map((path) => posix.normalize(path)).sort(),
    };
  } catch (error) {
    throw new SvcError("SVC1101", `${file} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** What went wrong, with file and line where esbuild knows them. */
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

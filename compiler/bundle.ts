// Bundles the project's sources with esbuild; installed packages remain imports. One bundler serves
// several builds, of which later ones are faster.

import { join, posix, resolve } from "node:path";
import type { BuildContext, BuildFailure, BuildOptions, Message, Plugin } from "esbuild";
import { BUILD_FOLDER } from "../runtime/base/build-folder.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { MODULES_FILE } from "./emit/project.js";
import { moduleLocations } from "./locations-plugin.js";
import { findMissingNames } from "./named-imports.js";
import { markOwnImports, narrowOwnImports } from "./own-imports.js";
import { PackageImporters, packageImports } from "./package-imports.js";
import { RENAMED_CLASS } from "./read/renamed-class.js";
import { SCHEMA_PREFIX } from "./record/plugin-record.js";

/** The entry point exists only in memory. */
const ENTRY = "svc:entry";

type Context = BuildContext<BuildOptions & { metafile: true }>;

type AddedExports = ReadonlyMap<string, ReadonlySet<string>>;

export interface Bundle {
  /** Bundle and source map by file name; empty if there is nothing to run. */
  readonly files: ReadonlyMap<string, string>;
  /** Bundled files, relative to the project, sorted. */
  readonly inputs: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** esbuild options for a module that Node.js loads. */
export const NODE_MODULE = {
  bundle: true,
  write: false,
  metafile: true,
  format: "esm",
  platform: "node",
  // Resolve exports like Node.js; by default, esbuild adds the condition `module`.
  conditions: [],
  target: "node20",
  charset: "utf8",
  logLevel: "silent",
} satisfies BuildOptions;

export class Bundler {
  readonly #projectDir: string;
  readonly #tsconfig: string | null;
  readonly #context: Promise<Context>;
  readonly #importers = new PackageImporters();
  #entry = "";
  /** Additional exports of modules, by absolute path. */
  #added: AddedExports = new Map();

  /** @param tsconfig null: each file has the nearest one */
  constructor(projectDir: string, tsconfig: string | null = null) {
    this.#projectDir = resolve(projectDir);
    this.#tsconfig = tsconfig;
    this.#context = this.#open();
    // `bundle` and `close` report a failure.
    this.#context.catch(() => {});
  }

  /**
   * @param entry text of the entry point, which imports as if it were in the project's folder
   * @param added additional exports of modules, by path
   */
  async bundle(entry: string, added: AddedExports = new Map()): Promise<Bundle> {
    this.#entry = entry;
    const paths = [...added].map(
      ([path, names]) => [resolve(this.#projectDir, path), names] as const,
    );
    this.#added = new Map(paths);
    const context = await this.#context;
    try {
      const { outputFiles = [], metafile, warnings } = await context.rebuild();
      const files = await Promise.all(
        outputFiles.map(
          async ({ path, text }): Promise<[string, string]> => [
            posix.basename(path.replaceAll("\\", "/")),
            path.endsWith(MODULES_FILE) ? await withClassNames(text) : text,
          ],
        ),
      );
      const inputs = Object.keys(metafile.inputs).filter((path) => path !== ENTRY);
      const code = files.find(([name]) => name === MODULES_FILE)?.[1] ?? "";
      const missing = await findMissingNames(this.#projectDir, code, this.#importers.packages);
      const found = warnings.map((message) => toDiagnostic(message, "warning"));
      return {
        files: new Map(files.sort().map(([name, text]) => [name, ownImports(name, text)])),
        inputs: inputs.sort(),
        diagnostics: [...found, ...missing],
      };
    } catch (error) {
      return failedBundle(error);
    }
  }

  async close(): Promise<void> {
    const context = await this.#context;
    await context.dispose();
  }

  async #open(): Promise<Context> {
    const { context } = await import("esbuild");
    return context({
      absWorkingDir: this.#projectDir,
      entryPoints: [ENTRY],
      outfile: join(BUILD_FOLDER, MODULES_FILE),
      ...NODE_MODULE,
      // Responses contain names of error classes, but esbuild renames classes with equal names.
      keepNames: true,
      ...(this.#tsconfig !== null && { tsconfig: this.#tsconfig }),
      sourcemap: "linked",
      sourcesContent: false,
      plugins: [
        this.#entryPlugin(),
        moduleLocations(this.#projectDir, (path, text) => this.#withAdded(path, text)),
        markOwnImports(),
        packageImports(this.#importers),
      ],
    });
  }

  /** Exports additional names from a module, such as schemas that it does not export. */
  #withAdded(path: string, text: string): string | null {
    const names = this.#added.get(path);
    return names === undefined ? null : withExports(text, names);
  }

  #entryPlugin(): Plugin {
    return {
      name: "svc-entry",
      setup: (build) => {
        build.onResolve({ filter: /^svc:entry$/ }, () => ({ path: "entry", namespace: "svc" }));
        build.onLoad({ filter: /^entry$/, namespace: "svc" }, () => ({
          contents: this.#entry,
          resolveDir: this.#projectDir,
        }));
      },
    };
  }
}

/** Loads TypeScript only if there are names to restore. */
async function withClassNames(text: string): Promise<string> {
  if (!RENAMED_CLASS.test(text)) return text;
  const { restoreClassNames } = await import("./read/class-names.js");
  return restoreClassNames(text);
}

function ownImports(name: string, text: string): string {
  return name === MODULES_FILE ? narrowOwnImports(text) : text;
}

/**
 * Returns an empty bundle with the errors of esbuild.
 * @throws any other error unchanged
 */
export function failedBundle(error: unknown): Bundle {
  const { errors } = error as Partial<BuildFailure>;
  if (errors === undefined) throw error;
  const diagnostics = errors.map((message) => toDiagnostic(message, "error"));
  return { files: new Map(), inputs: [], diagnostics };
}

/** Appends exports to a module, so that all positions in its text stay the same. */
function withExports(text: string, names: ReadonlySet<string>): string {
  const list = [...names].sort().map((name) => `${name} as ${SCHEMA_PREFIX}${name}`);
  return `${text}\nexport { ${list.join(", ")} };\n`;
}

export function toDiagnostic(message: Message, severity: Diagnostic["severity"]): Diagnostic {
  const { location } = message;
  return {
    code: severity === "error" ? "SVC1104" : "SVC1122",
    severity,
    position: {
      file: location?.file ?? `${BUILD_FOLDER}/${MODULES_FILE}`,
      line: location?.line ?? 1,
      column: (location?.column ?? 0) + 1,
    },
    length: Math.max(1, location?.length ?? 1),
    message: message.text,
    help: location?.suggestion ?? "",
  };
}

// Bundles the plugins with their converters to `.svc/plugins.js`, by esbuild. Generated sources are
// handed over in memory; installed packages stay imports. One bundler serves many builds, each
// quicker than the first.

import { join, posix, resolve } from "node:path";
import type { BuildContext, BuildFailure, BuildOptions, Message, Plugin } from "esbuild";
import { BUILD_FOLDER } from "../runtime/manifest.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { CONVERTERS_FILE, GENERATED_SCHEME } from "./emit/project.js";

export const BUNDLE_FILE = "plugins.js";
/** Never written: it exists in the bundle only. */
export const ENTRY_FILE = "entry.js";

export interface Bundle {
  /** Bundle and source map by file name; empty when there are errors. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that went into the bundle, relative to the project, sorted. */
  readonly inputs: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export class Bundler {
  private readonly projectDir: string;
  private readonly context: Promise<BuildContext<BuildOptions & { metafile: true }>>;
  private sources: ReadonlyMap<string, string> = new Map();

  constructor(projectDir: string) {
    this.projectDir = projectDir;
    this.context = this.open();
    // A failure shows where the context is used.
    this.context.catch(() => {});
  }

  /** @param sources texts of ENTRY_FILE and CONVERTERS_FILE */
  async bundle(sources: ReadonlyMap<string, string>): Promise<Bundle> {
    this.sources = sources;
    const context = await this.context;
    try {
      const result = await context.rebuild();
      const files = (result.outputFiles ?? []).map((file): [string, string] => [
        posix.basename(file.path.replaceAll("\\", "/")),
        file.text,
      ]);
      const inputs = Object.keys(result.metafile.inputs).filter(
        (path) => !path.startsWith(`${BUILD_FOLDER}/`),
      );
      return { files: new Map(files.sort()), inputs: inputs.sort(), diagnostics: [] };
    } catch (error) {
      const { errors } = error as Partial<BuildFailure>;
      if (errors === undefined) {
        throw error;
      }
      return { files: new Map(), inputs: [], diagnostics: errors.map(toDiagnostic) };
    }
  }

  async close(): Promise<void> {
    const context = await this.context;
    await context.dispose();
  }

  private async open(): Promise<BuildContext<BuildOptions & { metafile: true }>> {
    const { context } = await import("esbuild");
    return context({
      absWorkingDir: resolve(this.projectDir),
      entryPoints: [GENERATED_SCHEME + ENTRY_FILE],
      outfile: join(BUILD_FOLDER, BUNDLE_FILE),
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "external",
      charset: "utf8",
      sourcemap: "linked",
      sourcesContent: false,
      logLevel: "silent",
      plugins: [this.generatedSources()],
    });
  }

  /** Serves the generated files from memory, and resolves what they import. */
  private generatedSources(): Plugin {
    const folder = resolve(this.projectDir, BUILD_FOLDER);
    const pathOf = (file: string) => join(folder, file);
    return {
      name: "svc-generated",
      setup: (build) => {
        build.onResolve({ filter: new RegExp(`^${GENERATED_SCHEME}`) }, ({ path }) => ({
          path: pathOf(path.slice(GENERATED_SCHEME.length)),
        }));
        // The folder need not exist yet, so esbuild cannot look from there.
        build.onResolve({ filter: /^\.\.\// }, ({ path, importer }) =>
          importer === pathOf(CONVERTERS_FILE) ? { path: join(folder, path) } : null,
        );
        build.onResolve({ filter: /^svc-server\// }, ({ path }) => ({ path, external: true }));
        const generated = /[\\/]\.svc[\\/](?:entry|converters)\.js$/;
        build.onLoad({ filter: generated }, ({ path }) => {
          const text = this.sources.get(path.slice(folder.length + 1));
          return text === undefined ? null : { contents: text };
        });
      },
    };
  }
}

function toDiagnostic(message: Message): Diagnostic {
  const { location } = message;
  return {
    code: "SVC1104",
    severity: "error",
    position: {
      file: location?.file ?? `${BUILD_FOLDER}/${BUNDLE_FILE}`,
      line: location?.line ?? 1,
      column: (location?.column ?? 0) + 1,
    },
    length: Math.max(1, location?.length ?? 1),
    message: message.text,
    help: location?.suggestion ?? "",
  };
}

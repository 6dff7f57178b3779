// A project with everything that stays open between builds: the reader's program and the bundler's
// context. `svc build` uses it once, `svc dev` for every change. Slow modules are loaded when the
// first build starts.

import { existsSync } from "node:fs";
import { posix, relative, resolve, sep } from "node:path";
import { AUTH_FILE, ENV_FILE } from "../runtime/base/build-folder.js";
import { SvcError } from "../runtime/base/errors.js";
import type { ResolvedConfig } from "../runtime/settings/config-rule.js";
import {
  CONFIG_OUTPUT,
  hashContent,
  MANIFEST_FILE,
  SYSTEM_OUTPUT,
} from "../runtime/settings/manifest.js";
import { findPluginFiles } from "../runtime/settings/plugin-files.js";
import { SYSTEM_PROGRAMS } from "../runtime/system/system-files.js";
import { type BuildResult, hasErrors, PhaseTimer } from "./build-result.js";
import { Bundler } from "./bundle.js";
import { bundleExports } from "./bundle-exports.js";
import { checkPlugins } from "./check/check-plugins.js";
import { checkConfigScopes } from "./check/config-scopes.js";
import { mergeDiagnostics } from "./check/merge-diagnostics.js";
import { startTypeCheck, type TypeCheck } from "./check/type-check.js";
import { CONFIG_FILES, type LoadedConfig, loadConfig } from "./config/config.js";
import { ConfigError, locateConfig } from "./config/config-error.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { sortDiagnostics } from "./diagnostics/sort.js";
import { lifecycleExports } from "./emit/lifecycle.js";
import { checkedManifest } from "./emit/manifest.js";
import { addedExports } from "./emit/modules.js";
import { emitBundleEntry, emitProject, emitProjectManifest, MODULES_FILE } from "./emit/project.js";
import { InstalledFiles, lockFiles } from "./installed-files.js";
import { type OutputFiles, writeOutput } from "./output.js";
import { hashInputs } from "./project-files.js";
import type { ReadResult } from "./read/file-reading.js";
import { ProjectReader } from "./read/project-reader.js";
import type { ModuleExport } from "./record/module-export.js";
import type { PluginRecord } from "./record/plugin-record.js";
import { SchemaInspector } from "./schemas/schema-inspector.js";
import { declarationFiles, TSCONFIG_FILE, tsconfigFiles } from "./tsconfig.js";
import { unmatchedFiles } from "./unmatched-files.js";
import { compilerVersion } from "./version.js";

/** A build that is not written yet. */
export interface Compiled {
  readonly plugins: number;
  readonly diagnostics: readonly Diagnostic[];
  /** All files of `.svc/`; null if there are errors. */
  readonly files: OutputFiles | null;
}

/** Result of a rebuild. */
export interface Rebuild extends BuildResult {
  /** True if it was abandoned for newer changes before its result was known. */
  readonly abandoned: boolean;
  /** Files read so far, relative to the project. */
  readonly inputs: readonly string[];
  /**
   * Returns TypeScript's diagnostics if types are checked after the build is written. To be called
   * before the next build, if at all.
   */
  readonly checkTypes: () => Promise<readonly Diagnostic[]>;
}

export interface RebuildOptions {
  /** Writes whatever parses, and checks its types afterwards. */
  readonly unchecked?: boolean;
}

export class ProjectBuilder {
  readonly projectDir: string;
  readonly #tsconfig: string;
  #config: LoadedConfig | null = null;
  #reader: ProjectReader | null = null;
  readonly #schemas: SchemaInspector;
  readonly #installed: InstalledFiles;
  #bundler: Bundler | null = null;
  #typeCheck: TypeCheck | null = null;
  /** True after the first rebuild: further ones follow, which reuse what was read. */
  #staysOpen = false;
  #declarations: readonly string[] = [];
  #inputs: readonly string[] = [];
  /** Files to type-check: plugin files, declarations, and exports named by `auth` and `env`. */
  #sources: readonly string[] = [];
  /** Files changed since the last successful read; a build that fails before reading adds to it. */
  readonly #pending = new Set<string>();

  /**
   * @param projectDir folder of the project
   * @param tsconfig file instead of `tsconfig.json`, relative to the project
   * @throws SvcError SVC1061 if there is no such file
   */
  constructor(projectDir: string, tsconfig = TSCONFIG_FILE) {
    this.projectDir = resolve(projectDir);
    this.#tsconfig = this.#relativePath(tsconfig);
    const customTsconfig = this.#tsconfig === TSCONFIG_FILE ? null : this.#tsconfig;
    this.#schemas = new SchemaInspector(this.projectDir, customTsconfig);
    this.#installed = new InstalledFiles(this.projectDir);
    if (tsconfig !== TSCONFIG_FILE && !existsSync(resolve(projectDir, tsconfig))) {
      throw new SvcError("SVC1061", `file not found: ${tsconfig}`);
    }
  }

  /**
   * Builds and writes `.svc/` unless there are errors, including type errors: then the old build
   * stays. Calls must not overlap.
   *
   * @param changed files written, added or removed since the last call
   * @throws SvcError if the configuration does not run
   */
  async rebuild(
    changed: readonly string[] = [],
    { unchecked = false }: RebuildOptions = {},
  ): Promise<Rebuild> {
    const clock = new PhaseTimer();
    this.#staysOpen = true;
    const compiled = unchecked
      ? { ...(await this.#compile(changed, clock, false)), abandoned: false }
      : await this.compileChecked(changed, clock);
    const { files, plugins, diagnostics, abandoned } = compiled;
    const written = files !== null && this.#write(files, unchecked);
    clock.mark("write");
    return {
      ok: files !== null,
      unchanged: files !== null && !written,
      plugins,
      diagnostics,
      differing: [],
      timings: clock.timings(),
      abandoned,
      inputs: this.#inputs,
      checkTypes: async () => (unchecked && files !== null ? this.#checkAfterWrite(files) : []),
    };
  }

  /**
   * Finds all errors, including TypeScript's, without writing anything.
   *
   * @param clock receives the phases
   */
  async compileChecked(
    changed: readonly string[],
    clock: PhaseTimer,
  ): Promise<Compiled & { readonly abandoned: boolean }> {
    const { plugins, diagnostics, files } = await this.#compile(changed, clock, true);
    // An invalid configuration has no types to check.
    const types = this.#typeCheck === null ? [] : await this.#typeCheck.result;
    clock.mark("types");
    const all = mergeDiagnostics(diagnostics, types ?? []);
    const isValid = types !== null && !hasErrors(all);
    return {
      plugins,
      diagnostics: all,
      files: isValid ? files : null,
      abandoned: types === null,
    };
  }

  /** Cancels a pending type check because of newer changes. */
  abandon(): void {
    this.#typeCheck?.cancel();
  }

  /** Checks types, then marks the written build as checked. The caller may ignore the result. */
  #checkAfterWrite(files: OutputFiles): Promise<readonly Diagnostic[]> {
    const types = this.#startTypeCheck().result.then((found) => {
      if (found !== null) writeOutput(this.projectDir, hasErrors(found) ? files : asChecked(files));
      return found ?? [];
    });
    types.catch(() => {});
    return types;
  }

  /** Writes a build. An unchecked one does not replace the same build with checked types. */
  #write(files: OutputFiles, unchecked: boolean): boolean {
    return writeOutput(this.projectDir, files, unchecked ? asChecked(files) : files);
  }

  /**
   * Compiles without writing.
   *
   * @param checked whether to check types in parallel in a child process, and to record that in the
   *   build
   */
  async #compile(
    changed: readonly string[],
    clock: PhaseTimer,
    checked: boolean,
  ): Promise<Compiled> {
    this.#typeCheck?.cancel();
    this.#typeCheck = null;
    this.#bundler ??= new Bundler(
      this.projectDir,
      this.#tsconfig === TSCONFIG_FILE ? null : this.#tsconfig,
    );
    for (const file of changed) {
      this.#pending.add(this.#relativePath(file));
    }
    const config = await this.#loadConfig();
    if (config instanceof ConfigError) {
      const diagnostics = await config.diagnostics();
      return { plugins: 0, diagnostics, files: null };
    }
    const files = await this.#findFiles(config.config);
    const unread = await unmatchedFiles(this.projectDir, config.config, files);
    const declarations = await declarationFiles(this.projectDir, this.#tsconfig);
    const read = [...files, ...declarations];
    const { auth, env } = config.config;
    const functions = lifecycleExports(config.config).map(({ module }) => module);
    const checkedModules = [...auth, ...env].map((reference) => reference.split("#")[0]!);
    const named = [...checkedModules.map((module) => posix.normalize(module)), ...functions];
    this.#sources = [
      ...read,
      ...named.filter((file) => this.#isFile(file) && !read.includes(file)),
    ];
    if (declarations.join("\n") !== this.#declarations.join("\n")) {
      // Any file may depend on an added or removed declaration.
      this.#reader = null;
      this.#declarations = declarations;
    }
    clock.mark("config");
    if (checked) {
      this.#startTypeCheck();
    }
    const locks = lockFiles(this.projectDir);
    const reading = await this.#read(config.config, read, locks);
    const { dependencies } = reading;
    this.#inputs = [...files, ...config.inputs, ...dependencies, ...named, ...locks];
    clock.mark("read");
    const { plugins, types, moduleState } = reading;
    const { executors } = config.config;
    const hasAuth = auth.length > 0;
    const rules = checkPlugins(plugins, types, { executors, moduleState, hasAuth });
    const scopes = await checkConfigScopes(config.config, () =>
      locateConfig(this.projectDir, config.file ?? CONFIG_FILES[0]!),
    );
    const found = [...reading.diagnostics, ...rules, ...scopes];
    const output = hasErrors(found)
      ? null
      : await this.#emit(config, files, reading, found, checked);
    clock.mark("emit");
    return {
      plugins: plugins.length,
      diagnostics: sortDiagnostics([...found, ...unread]),
      files: output,
    };
  }

  /** Closes all open resources. */
  async close(): Promise<void> {
    this.#typeCheck?.cancel();
    await this.#bundler?.close();
    await this.#schemas.close();
  }

  #startTypeCheck(): TypeCheck {
    const typeCheck = startTypeCheck(this.projectDir, this.#sources, this.#tsconfig);
    // If the build fails for another reason first, the result is not awaited.
    typeCheck.result.catch(() => {});
    this.#typeCheck = typeCheck;
    return typeCheck;
  }

  /** Returns the error of an invalid configuration, which becomes diagnostics. */
  async #loadConfig(): Promise<LoadedConfig | ConfigError> {
    const loaded = this.#config;
    const sources = new Set([
      ...CONFIG_FILES,
      ...SYSTEM_PROGRAMS,
      "package.json",
      ...(loaded?.inputs ?? []),
    ]);
    if (loaded !== null && !this.#hasChanged(sources)) {
      return loaded;
    }
    this.#config = null;
    this.#reader = null;
    try {
      this.#config = await loadConfig(this.projectDir);
      return this.#config;
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
  }

  async #findFiles(config: ResolvedConfig): Promise<string[]> {
    const files = await findPluginFiles(this.projectDir, config);
    if (files.length === 0) {
      const [unread] = await unmatchedFiles(this.projectDir, config, files);
      const hint = unread && `; ${unread.position.file} has \`@plugin\`, but another ending`;
      throw new SvcError("SVC1103", `no file matches ${config.plugins.join(", ")}${hint ?? ""}`);
    }
    for (const { name, module } of config.declared) {
      if (!existsSync(resolve(this.projectDir, module))) {
        throw new SvcError("SVC1103", `plugin ${name} refers to a missing file: ${module}`);
      }
    }
    return files;
  }

  async #read(
    config: ResolvedConfig,
    files: readonly string[],
    locks: readonly string[],
  ): Promise<ReadResult> {
    const chain = tsconfigFiles(this.projectDir, this.#tsconfig);
    const options = new Set([this.#tsconfig, "package.json", ...locks, ...chain]);
    let reading: ReadResult;
    if (this.#reader === null || this.#hasChanged(options) || this.#installed.haveChanged()) {
      const { declared, before } = config;
      this.#reader = new ProjectReader(this.projectDir, {
        configured: declared,
        tsconfig: this.#tsconfig,
        hooks: before,
        described: ["package.json", ...locks, ...chain],
        staysOpen: this.#staysOpen,
      });
      reading = await this.#reader.read(files);
    } else {
      reading = await this.#reader.refresh([...this.#pending], files);
    }
    if (this.#staysOpen) this.#installed.follow(reading.dependencies);
    this.#pending.clear();
    return reading;
  }

  #hasChanged(files: ReadonlySet<string>): boolean {
    return [...this.#pending].some((file) => files.has(file));
  }

  /** Returns all files of the build; null if bundling found errors, which are added to `found`. */
  async #emit(
    { config, inputs, openCode, system }: LoadedConfig,
    files: readonly string[],
    reading: ReadResult,
    found: Diagnostic[],
    checked: boolean,
  ): Promise<OutputFiles | null> {
    const { types, dependencies } = reading;
    const plugins = reading.plugins.map((plugin) => withBefore(plugin, config.before));
    const bundle = await this.#bundler!.bundle(
      emitBundleEntry(plugins, lifecycleExports(config)),
      addedExports(plugins),
    );
    found.push(...bundle.diagnostics);
    const others = await Promise.all([
      bundleExports(this.projectDir, this.#tsconfig, config.auth, AUTH_FILE),
      bundleExports(this.projectDir, this.#tsconfig, config.env, ENV_FILE),
    ]);
    const faults = others.flatMap(({ diagnostics }) => diagnostics);
    found.push(...faults);
    const modules = bundle.files.get(MODULES_FILE);
    if (modules === undefined || hasErrors([...bundle.diagnostics, ...faults])) {
      return null;
    }
    const inspected = await this.#schemas.inspect(plugins, types);
    found.push(...inspected.diagnostics);
    const output = emitProject(inspected.plugins, types, config, modules, inspected.types);
    for (const [name, text] of [bundle, ...others].flatMap(({ files: parts }) => [...parts])) {
      output.set(name, text);
    }
    if (openCode !== null) output.set(CONFIG_OUTPUT, openCode);
    if (system !== null) output.set(SYSTEM_OUTPUT, system.text);
    const hashes = [...output].map(([name, text]) => [name, hashContent(text)] as const);
    const bundled = [bundle, ...others].flatMap(({ inputs: read }) => read);
    const sources = [...files, ...inputs, ...dependencies, ...bundled];
    const manifest = emitProjectManifest(plugins, {
      svc: compilerVersion(),
      checked,
      hasWarnings: found.length > 0,
      tsconfig: this.#tsconfig,
      config,
      isConfigOpen: openCode !== null || system?.isOpen === true,
      files,
      inputs: hashInputs(this.projectDir, this.#tsconfig, sources),
      outputs: Object.fromEntries(hashes.sort()),
    });
    return output.set(...manifest);
  }

  #isFile(file: string): boolean {
    return existsSync(resolve(this.projectDir, file));
  }

  #relativePath(file: string): string {
    const path = relative(this.projectDir, resolve(this.projectDir, file));
    return posix.normalize(path.replaceAll(sep, "/"));
  }
}

/**
 * @param configured as `module#export`; not for post-processors, which follow other plugins of a
 *   request
 */
function withBefore(plugin: PluginRecord, configured: readonly string[]): PluginRecord {
  if (plugin.role === "post" || plugin.job !== null) return plugin;
  const first = configured.map((reference): ModuleExport => {
    const [module = "", exportPath = ""] = reference.split("#");
    return { module: posix.normalize(module), exportPath };
  });
  return { ...plugin, before: [...first, ...plugin.before] };
}

function asChecked(files: OutputFiles): OutputFiles {
  return new Map(files).set(MANIFEST_FILE, checkedManifest(files.get(MANIFEST_FILE)!));
}

// `svc dev`: combines a builder and a server. A build without errors is put into service, and its
// types are checked afterwards. After errors, the last good build stays in service.

import { setTimeout as delay } from "node:timers/promises";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import {
  ProjectBuilder,
  type Rebuild,
  type RebuildOptions,
} from "../../compiler/project-builder.js";
import { enableBuildReports, reportBuild } from "../../runtime/base/build-report.js";
import { SvcError } from "../../runtime/base/errors.js";
import { enableFailedCallCapture } from "../../runtime/base/failed-calls.js";
import { onTerminationSignal } from "../../runtime/lifecycle/termination-signals.js";
import type { ResolvedConfig } from "../../runtime/settings/config-rule.js";
import {
  currentDiagnostics,
  formatDiagnostics,
  printDiagnostics,
  summary,
} from "../framework/report-build.js";
import { reportError } from "../framework/report-error.js";
import { announce } from "./announce.js";
import { loader, readBuild } from "./built-project.js";
import { ExternalFileWatcher } from "./external-file-watcher.js";
import { openConsole } from "./open-console.js";
import type { ServeValues } from "./options.js";
import { resolveRole, resolveSettings } from "./resolve-settings.js";
import type { ServedProject } from "./served-project.js";
import { startServer } from "./start-server.js";

const LOOPBACK = "127.0.0.1";
/** Time that a shutdown waits for the build in progress. */
const CLOSE_MS = 5000;
/** Time within which a changed file is reported by its watcher. */
const REPORT_MS = 500;
/** Time within which a signal to the process group reaches this process, too. */
const SIGNAL_MS = 100;

interface DevOptions extends RebuildOptions {
  readonly tsconfig?: string;
  /** True to show the console in a browser. */
  readonly open: boolean;
}

interface Served {
  readonly project: ServedProject;
  /** Configuration that the server was started with. */
  readonly config: ResolvedConfig;
}

export class DevServer {
  readonly #folder: string;
  readonly #values: ServeValues;
  readonly #options: DevOptions;
  readonly #builder: ProjectBuilder;
  readonly #changed = new Set<string>();
  /** Watches files outside the project, such as workspace packages. */
  readonly #outside: ExternalFileWatcher;
  #served: Served | null = null;
  /** Failed step of the last build. A failed load is retried, because it may succeed. */
  #broken: "build" | "load" | null = null;
  #isBusy = false;
  #isClosed = false;
  /** Number of builds that have begun. */
  #builds = 0;
  #building: Promise<unknown> = Promise.resolve();
  /** Stops waiting for signals, because a served project has its own handlers. */
  #unlisten: () => void = () => {};

  constructor(folder: string, values: ServeValues, options: DevOptions) {
    this.#folder = folder;
    this.#values = values;
    this.#options = options;
    this.#builder = new ProjectBuilder(folder, options.tsconfig);
    enableBuildReports();
    enableFailedCallCapture();
    this.#outside = new ExternalFileWatcher(folder, (files) => void this.change(files));
  }

  /**
   * Runs the first build and starts the server. With errors in the sources, it waits for a
   * correction.
   * @throws SvcError if the server cannot be started
   */
  async start(): Promise<void> {
    this.#isBusy = true;
    onTerminationSignal(
      () => {
        this.#isClosed = true;
      },
      () => {},
    );
    this.#unlisten = onTerminationSignal(
      () => void this.close().then(() => process.exit(0)),
      () => process.exit(1),
    );
    const first = this.#rebuild([]);
    this.#building = first.catch(() => {});
    await first;
    await this.#buildChanges();
  }

  /** Builds changed files after the build in progress. */
  async change(files: readonly string[]): Promise<void> {
    for (const file of files) this.#changed.add(file);
    if (this.#isBusy) {
      this.#builder.abandon();
      return;
    }
    this.#isBusy = true;
    await this.#buildChanges();
  }

  async #buildChanges(): Promise<void> {
    while (this.#changed.size > 0 && !this.#isClosed) {
      const files = [...this.#changed];
      this.#changed.clear();
      this.#building = this.#rebuild(files).catch((error) => this.#reportFailure(error));
      await this.#building;
    }
    this.#isBusy = false;
  }

  async #rebuild(files: readonly string[]): Promise<void> {
    const startedMs = performance.now();
    const startedAtMs = Date.now();
    this.#builds++;
    const result = await this.#build(files, startedAtMs);
    // The next build includes these files and the changes made meanwhile.
    if (result?.abandoned) return;
    try {
      await this.#putIntoService(result, files, startedMs);
    } finally {
      // Afterwards, because the check would take CPU from the first responses of the new build.
      const isNewest = this.#changed.size === 0 && !this.#isClosed;
      if (result !== null && isNewest) void this.#reportTypes(result, startedAtMs);
    }
  }

  /** Puts a build into service, or reports why the last good one stays. */
  async #putIntoService(
    result: Rebuild | null,
    files: readonly string[],
    startedMs: number,
  ): Promise<void> {
    if (this.#isClosed) return;
    const findings = formatDiagnostics(this.#folder, result?.diagnostics ?? []);
    if (result === null || !result.ok) return this.#reportBroken("build", findings);
    try {
      if (this.#served === null) {
        await this.#serve();
      } else if (!result.unchanged || this.#broken === "load") {
        await this.#reload(this.#served);
        const elapsedMs = Math.round(performance.now() - startedMs);
        console.log(`svc: reloaded ${files.join(", ")} in ${elapsedMs} ms: ${summary(result)}`);
      } else if (this.#broken !== null) {
        console.log("svc: fixed: the server is up to date");
      }
      this.#broken = null;
      reportBuild({ at: Date.now(), broken: null, findings });
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "SVC2201") throw error;
      reportError(error);
      this.#reportBroken("load", `${findings}${error.code}: ${error.message}`);
    }
  }

  #reportBroken(broken: "build" | "load", diagnostics: string): void {
    this.#broken = broken;
    reportBuild({ at: Date.now(), broken, findings: diagnostics });
    const isServing = this.#served !== null;
    console.log(
      `svc: ${isServing ? "still serving the last good build" : "fix this to start serving"}`,
    );
  }

  /** Prints the diagnostics. Returns null if there is no project to build. */
  async #build(files: readonly string[], startedAtMs: number): Promise<Rebuild | null> {
    try {
      const result = await this.#builder.rebuild(files, this.#options);
      const diagnostics = currentDiagnostics(this.#folder, result.diagnostics, startedAtMs);
      // Files with errors have changed meanwhile: the next build reports them.
      const isOutdated = !result.ok && diagnostics.length < result.diagnostics.length;
      if (isOutdated) this.#recheck(result.diagnostics);
      const abandoned = result.abandoned || isOutdated;
      if (!abandoned) printDiagnostics(this.#folder, diagnostics);
      this.#outside.follow(result.inputs);
      return { ...result, diagnostics, abandoned };
    } catch (error) {
      await this.#reportFailure(error);
      return null;
    }
  }

  /**
   * Prints why a build failed, unless it was stopped: a terminal signals the whole process group,
   * and esbuild can be gone before this process learns of the signal.
   */
  async #reportFailure(error: unknown): Promise<void> {
    await delay(SIGNAL_MS);
    if (!this.#isClosed) reportError(error);
  }

  async #serve(): Promise<void> {
    const manifest = readBuild(this.#folder);
    const resolved = await resolveSettings(this.#folder, manifest.config, this.#values);
    // A server under development is for its author: without other settings it listens on loopback
    // and rejects other host names.
    const { ip, allowedHosts } = resolved;
    // Inline plugins run in executors, because modules in the IO thread cannot be reloaded.
    const served = {
      ip: ip ?? LOOPBACK,
      allowedHosts: allowedHosts ?? [],
      inline: false,
      warmUp: false,
    };
    const settings = { ...resolved, ...served };
    const role = await resolveRole(this.#folder, manifest.config, this.#values);
    this.#unlisten();
    const project = await startServer(settings, loader(this.#folder, role), () => this.close());
    this.#served = { project, config: manifest.config };
    process.stdout.write(announce(project.service, project.table));
    if (this.#options.open) openConsole(project.service);
  }

  async #reload({ project, config }: Served): Promise<void> {
    const manifest = readBuild(this.#folder);
    await project.reload();
    if (JSON.stringify(manifest.config) !== JSON.stringify(config)) {
      console.log("svc: configuration changed: restart `svc dev` to apply it");
    }
  }

  /**
   * Builds the files of diagnostics again unless a change is reported: a file that seems newer than
   * the build may have been written before it, with a clock that runs ahead.
   */
  #recheck(diagnostics: readonly Diagnostic[]): void {
    const files = diagnostics.map(({ position }) => position.file);
    const builds = this.#builds;
    setTimeout(() => {
      if (this.#builds === builds && !this.#isClosed) void this.change(files);
    }, REPORT_MS);
  }

  /**
   * Closes the builder after the build in progress: esbuild prints its stacks if it loses its
   * parent while working.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#outside.close();
    this.#builder.abandon();
    await Promise.race([this.#building, delay(CLOSE_MS, null, { ref: false })]);
    await this.#builder.close();
  }

  /** Checks types. The diagnostics are dropped if a newer build has started. */
  async #reportTypes({ checkTypes }: Rebuild, startedAtMs: number): Promise<void> {
    try {
      const all = await checkTypes();
      const findings = currentDiagnostics(this.#folder, all, startedAtMs);
      if (findings.length < all.length) this.#recheck(all);
      printDiagnostics(this.#folder, findings);
      if (findings.length === 0) return;
      const text = formatDiagnostics(this.#folder, findings);
      reportBuild({ at: Date.now(), broken: this.#broken, findings: text });
    } catch (error) {
      await this.#reportFailure(error);
    }
  }
}

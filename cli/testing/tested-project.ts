// A built project under test, with a folder for the data of its instances.

import { mkdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Argspec } from "../../argspec/argspec.js";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import type { TestClock } from "./test-clock.js";
import type { TestInstance } from "./test-instance.js";

export interface TestedProject {
  readonly folder: string;
  readonly argspec: Argspec;
  /** Creates a data folder for one instance. */
  root(name: string): string;
  remove(): Promise<void>;
}

/**
 * @param isBuilt whether to build the project first if its build is stale
 * @throws SvcError SVC2944 for a project that does not build
 */
export async function testedProject(folder: string, isBuilt: boolean): Promise<TestedProject> {
  const projectDir = resolve(folder);
  if (isBuilt) await build(projectDir);
  const text = await readFile(join(projectDir, BUILD_FOLDER, "argspec.json"), "utf8").catch(() => {
    throw new SvcError("SVC2944", `${projectDir} is not built: remove \`build: false\``);
  });
  const data = await mkdtemp(join(tmpdir(), "svc-test-"));
  return {
    folder: projectDir,
    argspec: JSON.parse(text) as Argspec,
    root: (name) => {
      const root = join(data, name);
      mkdirSync(root, { recursive: true });
      return root;
    },
    remove: () => rm(data, { recursive: true, force: true }),
  };
}

/**
 * Ends a test: waits for running requests, then removes the data of all instances.
 * @param instances the first one stops first; missing ones are skipped
 */
export function closeInstances(
  project: TestedProject,
  clock: TestClock,
  instances: () => readonly (TestInstance | undefined)[],
): () => Promise<void> {
  const end = async (): Promise<void> => {
    await clock.resume();
    const [first, ...others] = instances();
    await first?.stop();
    await Promise.all(others.map((instance) => instance?.stop()));
    clock.close();
    await project.remove();
  };
  let ended: Promise<void> | null = null;
  return () => {
    ended ??= end();
    return ended;
  };
}

/** Cleans up after a failed start. */
export async function closeOnFailure(close: () => Promise<void>, start: () => Promise<unknown>) {
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(projectDir: string): Promise<void> {
  const [{ buildProject }, { formatDiagnostics }] = await Promise.all([
    import("../../compiler/build.js"),
    import("../framework/report-build.js"),
  ]);
  const { ok, diagnostics } = await buildProject(projectDir);
  if (ok) return;
  const text = formatDiagnostics(projectDir, diagnostics);
  throw new SvcError("SVC2944", `build of ${projectDir} failed:\n${text}`);
}

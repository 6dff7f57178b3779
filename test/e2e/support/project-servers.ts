// A project that is built once for a suite, and any number of servers of it, each on a data folder
// of its own.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "uvu";
import { buildProject, type Served, serve } from "./server.js";
import { TemporaryProject } from "./temporary-project.js";

export class ProjectServers extends TemporaryProject {
  readonly #running = new Set<Served>();
  readonly #options: readonly string[];

  /** @param options of all servers */
  constructor(test: Test, files: Readonly<Record<string, string>>, ...options: string[]) {
    super(files);
    this.#options = options;
    test.before(() => buildProject(this.folder));
    test.after.each(async () => {
      for (const served of this.#running) await this.kill(served);
    });
    test.after(() => this.remove());
  }

  /** @param root data folder below the project */
  async start(root: string, ...options: string[]): Promise<Served> {
    const folder = join(this.folder, root);
    mkdirSync(folder, { recursive: true });
    const served = await serve(this.folder, "--root", folder, ...this.#options, ...options);
    this.#running.add(served);
    return served;
  }

  /** Also one that is suspended. */
  async kill(served: Served): Promise<void> {
    this.#running.delete(served);
    served.process.kill("SIGCONT");
    await served.stop("SIGKILL");
  }

  async stop(served: Served): Promise<void> {
    this.#running.delete(served);
    await served.stop();
  }
}

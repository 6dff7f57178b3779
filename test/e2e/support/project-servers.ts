// A project that is built once for a suite, and any number of servers of it, each on a data folder
// of its own.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "uvu";
import { buildProject, type RunningServer, serve } from "./server.js";
import { TemporaryProject } from "./temporary-project.js";

export class ProjectServers extends TemporaryProject {
  readonly #running = new Set<RunningServer>();
  readonly #options: readonly string[];

  /** @param options of all servers */
  constructor(test: Test, files: Readonly<Record<string, string>>, ...options: string[]) {
    super(files);
    this.#options = options;
    test.before(() => buildProject(this.folder));
    test.after.each(async () => {
      for (const server of this.#running) await this.kill(server);
    });
    test.after(() => this.remove());
  }

  /** @param root data folder below the project */
  async start(root: string, ...options: string[]): Promise<RunningServer> {
    const folder = join(this.folder, root);
    mkdirSync(folder, { recursive: true });
    const server = await serve(this.folder, "--root", folder, ...this.#options, ...options);
    this.#running.add(server);
    return server;
  }

  /** Also one that is suspended. */
  async kill(server: RunningServer): Promise<void> {
    this.#running.delete(server);
    server.process.kill("SIGCONT");
    await server.stop("SIGKILL");
  }

  async stop(server: RunningServer): Promise<void> {
    this.#running.delete(server);
    await server.stop();
  }
}

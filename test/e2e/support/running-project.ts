// A project that is built and served while a suite runs.

import type { Test } from "uvu";
import { buildProject, type RunningServer, serve } from "./server.js";
import { TemporaryProject } from "./temporary-project.js";

export class RunningProject extends TemporaryProject {
  #server: RunningServer | null = null;

  constructor(test: Test, files: Readonly<Record<string, string>>) {
    super(files);
    test.before(async () => {
      await buildProject(this.folder);
      this.#server = await serve(this.folder);
    });
    test.after(async () => {
      await this.#server?.end();
      this.remove();
    });
  }

  /** Set before the first test. */
  get server(): RunningServer {
    if (this.#server === null) throw new Error("the project is not served yet");
    return this.#server;
  }
}

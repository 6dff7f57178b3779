// A project of a test file, and at most one server of it at a time, on data folders below it.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./server.js";
import { TemporaryProject } from "./temporary-project.js";

export class ServedProject {
  readonly #project: TemporaryProject;
  #server: RunningServer | null = null;

  private constructor(files: Readonly<Record<string, string>>) {
    this.#project = new TemporaryProject(files);
  }

  static async build(files: Readonly<Record<string, string>>): Promise<ServedProject> {
    const built = new ServedProject(files);
    await buildProject(built.folder);
    return built;
  }

  get folder(): string {
    return this.#project.folder;
  }

  /** The server that was started last. */
  get server(): RunningServer {
    return this.#server!;
  }

  write(name: string, text: string): void {
    this.#project.write(name, text);
  }

  /** Starts a server on a new data folder, and resolves with the folder. */
  async start(root: string, ...options: string[]): Promise<string> {
    const folder = join(this.folder, root);
    mkdirSync(folder, { recursive: true });
    this.#server = await serve(this.folder, "--root", folder, ...options);
    return folder;
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const code = await this.server.stop(signal);
    this.#server = null;
    return code;
  }

  /** After each test. */
  async kill(): Promise<void> {
    await this.#server?.stop("SIGKILL");
    this.#server = null;
  }

  /** Result of a plugin. */
  async call(plugin: string): Promise<unknown> {
    const { json, text } = await get(this.server.port, `/svc/plugin/${plugin}`);
    assert.is(json.status, "OK", text);
    return json.response;
  }

  /** Error of a plugin. */
  async callError(plugin: string): Promise<string> {
    const { json, text } = await get(this.server.port, `/svc/plugin/${plugin}`);
    assert.is(json.status, "ERROR", text);
    return JSON.stringify(json.message);
  }

  remove(): void {
    this.#project.remove();
  }
}

// A project with only a generated client, in which its user compiles and runs programs.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../../runtime/base/package-info.js";
import { nodeCommand } from "../../runner/node-command.mjs";
import { svcHere } from "./server.js";

const [NODE, ...NODE_ARGS] = nodeCommand();
const RUN_MS = 30_000;
const COMPILER = join(packageRoot(), "node_modules/typescript/bin/tsc");
const OPTIONS = {
  ...{ target: "es2022", lib: ["es2023", "dom"], types: [], outDir: "out", rootDir: "." },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ verbatimModuleSyntax: true, skipLibCheck: false },
};
const RESOLUTIONS = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler", noEmit: true },
};

export class ClientProject {
  readonly folder = mkdtempSync(join(tmpdir(), "svc-client-"));
  /** Specifier in imports of the client that was generated last. */
  name = "";

  /**
   * Runs `svc client`, which writes the client as a package of the project.
   * @param name of the package, instead of its own
   */
  async generate(from: string, name?: string): Promise<void> {
    const out = join(this.folder, name ?? "sdk");
    const { code, stderr } = await svcHere("client", "--from", from, "--out", out);
    if (code !== 0) throw new Error(stderr);
    const manifest = JSON.parse(readFileSync(join(out, "package.json"), "utf8"));
    this.name = name ?? manifest.name;
    const installed = join(this.folder, "node_modules", this.name);
    mkdirSync(join(this.folder, "node_modules"), { recursive: true });
    cpSync(out, installed, { recursive: true });
    // The TypeScript compiler takes packages of equal names and versions for one.
    const renamed = JSON.stringify({ ...manifest, name: this.name });
    writeFileSync(join(installed, "package.json"), renamed);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Output of the TypeScript compiler, which emits to `out/`. */
  async compile(resolution: keyof typeof RESOLUTIONS, files: readonly string[]): Promise<string> {
    const compilerOptions = { ...OPTIONS, ...RESOLUTIONS[resolution] };
    const config = `tsconfig.${resolution}.json`;
    this.write(config, JSON.stringify({ compilerOptions, files }));
    const options = { cwd: this.folder };
    return promisify(execFile)(process.execPath, [COMPILER, "-p", config], options).then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
  }

  /** Compiler cost of checking one file, without the declarations that it uses. */
  async measure(file: string): Promise<{ errors: number; instantiations: number }> {
    const flags = ["--extendedDiagnostics", "--skipLibCheck", "--noEmit", "--strict"];
    const options = ["--module", "nodenext", "--target", "es2022", "--types", ""];
    const words = [COMPILER, ...flags, ...options, file];
    const run = promisify(execFile)(process.execPath, words, { cwd: this.folder });
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const instantiations = /^Instantiations: +(\d+)$/m.exec(stdout)?.[1];
    return {
      errors: stdout.match(/ error TS/g)?.length ?? 0,
      instantiations: Number(instantiations),
    };
  }

  /** Decoded standard output of a program. */
  async run(file: string, ...args: readonly string[]): Promise<unknown> {
    const words = [...NODE_ARGS, join(this.folder, file), ...args];
    const { stdout } = await promisify(execFile)(NODE, words, { timeout: RUN_MS });
    return JSON.parse(stdout);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

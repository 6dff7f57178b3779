// The checks of `svc doctor`, one function each. Checks change nothing, and a failed check does not
// prevent the others.

import { createServer } from "node:net";
import { availableParallelism, totalmem } from "node:os";
import { findTypeScript } from "../../compiler/check/find-typescript.js";
import { SvcError } from "../../runtime/base/errors.js";
import { packageInfo, packageRoot } from "../../runtime/base/package-info.js";
import { loadTransport } from "../../runtime/http/load-transport.js";
import { changedFile, type Manifest, readManifest } from "../../runtime/settings/manifest.js";
import { resolveSettings } from "../serving/resolve-settings.js";

export interface CheckResult {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
}

const DEFAULT_PORT = 9000;
const MIB = 1024 * 1024;
/** Measured, see docs/internals/uws-differences.md. */
const UWS_SPEED = "uws needs as much CPU as net with plugins, and 0.86 to 0.94 of it without";

/** @param folder an existing project folder, built or not */
export async function runChecks(folder: string): Promise<CheckResult[]> {
  const manifest = readManifest(folder);
  return Promise.all([
    runCheck("node", () => `${process.versions.node} on ${process.platform} ${process.arch}`),
    runCheck("machine", () => `${availableParallelism()} cores, ${memoryMb()} MiB of memory`),
    runCheck("package", () => `${packageInfo().name} ${packageInfo().version} in ${packageRoot()}`),
    runCheck("typescript", () => `checks with ${findTypeScript(folder).at(-1)}`),
    runCheck("transport", () => transport(folder, manifest)),
    build(folder, manifest),
    runCheck("settings", () => settings(folder, manifest)),
    ports(manifest?.config.http.port ?? DEFAULT_PORT, manifest?.config.http.ip ?? null),
  ]);
}

/** Runs a check that can only succeed or throw. */
async function runCheck(name: string, make: () => string | Promise<string>): Promise<CheckResult> {
  try {
    return { name, state: "ok", text: await make() };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { name, state: "fail", text: `${error.code}: ${error.message}` };
  }
}

function memoryMb(): number {
  return Math.round(totalmem() / MIB);
}

async function transport(folder: string, manifest: Manifest | null): Promise<string> {
  const choice = manifest?.config.http.transport ?? "net";
  const loaded = await loadTransport(choice, folder);
  return `${loaded.transport.name} (${loaded.reason}); ${UWS_SPEED}`;
}

async function build(folder: string, manifest: Manifest | null): Promise<CheckResult> {
  const name = "build";
  if (manifest === null) return { name, state: "warn", text: "not built: run `svc build`" };
  const changed = changedFile(folder, manifest.inputs);
  if (changed !== null) {
    return { name, state: "warn", text: `out of date since ${changed} changed: run \`svc build\`` };
  }
  return { name, state: "ok", text: `current, plugins: ${manifest.plugins.length}` };
}

async function settings(folder: string, manifest: Manifest | null): Promise<string> {
  if (manifest === null) return "unknown before the first build";
  const { executors, root } = await resolveSettings(folder, manifest.config, {});
  return `executors: ${executors}, root: ${root}`;
}

/** Checks the ports. A port in use is only a warning, since it may belong to this service. */
async function ports(port: number, ip: string | null): Promise<CheckResult> {
  const name = "ports";
  if (port === 0) return { name, state: "ok", text: "any free pair" };
  for (const candidate of [port, port + 1]) {
    const code = await bindError(candidate, ip);
    if (code !== null) return { name, state: "warn", text: `cannot bind ${candidate} (${code})` };
  }
  return { name, state: "ok", text: `${port} and ${port + 1} are free` };
}

/** Binds a port briefly; resolves to the system's error code, or null on success. */
function bindError(port: number, ip: string | null): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, ...(ip !== null && { host: ip }) }, () => {
      server.close(() => resolve(null));
    });
  });
}

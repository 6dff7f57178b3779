// Context of all verbs of `svc admin`: the system and access to its instances.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import { readManifest } from "../../runtime/settings/manifest.js";
import type { SystemTls } from "../../runtime/system/descriptor.js";
import type { InstanceCalls } from "../../runtime/system/instance-calls.js";
import { type Address, requestInstance } from "../../runtime/system/instance-client.js";
import { readDescriptor } from "../../runtime/system/read-descriptor.js";
import type { System } from "../../runtime/system/system.js";
import { TlsContextCache } from "../../runtime/system/tls-context-cache.js";
import { escapeControlChars } from "../framework/printable.js";
import { projectFolder } from "../framework/project-folder.js";
import { loadSystem } from "../system/load-system.js";
import { selectIds } from "../system/select-ids.js";
import { operate } from "./remote.js";

const TIMEOUT_MS = 5000;
const IDLE_MS = 5000;
const IDLE_WAIT_MS = 30_000;
const POLL_MS = 250;

export interface AdminValues {
  readonly descriptor?: string;
  readonly project?: string;
  readonly from?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly build?: string;
  readonly image?: string;
  readonly force?: boolean;
  readonly "accept-loss"?: boolean;
  readonly "no-wait"?: boolean;
  readonly "i-have-split-the-data"?: boolean;
  readonly restart?: boolean;
  readonly pause?: number;
  readonly out?: string;
  readonly tls?: string;
  readonly "dry-run"?: boolean;
  readonly rate?: string;
}

export interface VerbArguments {
  readonly ids: string | undefined;
  readonly more: string | undefined;
}

export class AdminContext implements InstanceCalls {
  constructor(
    readonly system: System,
    readonly values: AdminValues,
    /** TLS for connections to instances; null: none. */
    readonly secure: TlsContextCache | null = null,
  ) {}

  /** Whether to preempt another run. */
  get isForced(): boolean {
    return this.values.force === true;
  }

  call: InstanceCalls["call"] = (id, ...call) => operate(this.address(id), ...call);

  get isJson(): boolean {
    return this.values.json === true;
  }

  /** @throws SvcError SVC3111 for a selector that matches no instance */
  select(ids: string | undefined, defaultIds = "@"): string[] {
    return selectIds(this.system, ids ?? defaultIds);
  }

  /** Address of an instance's admin port. */
  address(id: string): Address {
    const { host, hport } = this.system.instances.get(id)!;
    return { host, port: hport + 1, secure: this.secure };
  }

  /**
   * Resolves when no graph of an instance has changed for a while.
   * @throws SvcError SVC3118 if that takes too long, SVC2701
   */
  async waitUntilIdle(id: string, waitMs = IDLE_WAIT_MS): Promise<void> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const path = "/svc/nodestat";
      const status = await requestInstance(this.address(id), { path, timeoutMs: TIMEOUT_MS });
      const idleMs = isPlainObject(status) ? Number(status["idle-ms"]) : 0;
      if (idleMs >= IDLE_MS) return;
      if (performance.now() > deadline) {
        throw new SvcError("SVC3118", `Operation incomplete: Instance ${id} is busy`);
      }
      await sleep(POLL_MS);
    }
  }

  /** Prints a value as JSON with `--json`, and lines otherwise. */
  print(value: unknown, lines: readonly string[]): void {
    const text = this.isJson ? JSON.stringify(value) : lines.join("\n");
    if (text !== "") process.stdout.write(`${escapeControlChars(text)}\n`);
  }
}

/** @throws SvcError SVC3110, SVC2700 without a descriptor, SVC2701 if `from` does not respond */
export async function adminContext(values: AdminValues): Promise<AdminContext> {
  const requested = requestedTls(values.tls);
  if (values.from !== undefined) {
    const { host, port, isSecure } = parseHostPort(values.from);
    const tls = requested ?? (isSecure ? {} : null);
    const first = tls && new TlsContextCache(tls, process.cwd());
    const path = "/svc/builtin/system_descriptor";
    const descriptor = await requestInstance(
      { host, port, secure: first },
      { path, timeoutMs: TIMEOUT_MS },
    );
    // File paths in this descriptor belong to the machine that sent it.
    return new AdminContext(readDescriptor(descriptor), values, first);
  }
  const folder = projectFolder(values.project);
  const config = readManifest(folder)?.config;
  const system = loadSystem(folder, config?.descriptor ?? null, values.descriptor);
  const systemTls = system.tls && new TlsContextCache(system.tls, folder);
  return new AdminContext(
    system,
    values,
    requested ? new TlsContextCache(requested, process.cwd()) : systemTls,
  );
}

/**
 * Returns the certificates that a remote operator trusts and presents.
 * @throws SvcError SVC3003
 */
function requestedTls(text: string | undefined): SystemTls | null {
  if (text === undefined) return null;
  const [ca = "", cert, key, ...rest] = text.split(",").map((file) => file.trim());
  if (ca !== "" && rest.length === 0) {
    if (cert === undefined) return { ca };
    if (cert !== "" && key !== undefined && key !== "") return { ca, cert, key };
  }
  const expected = `--tls: expected <ca[,cert,key]>, got ${JSON.stringify(text)}`;
  throw new SvcError("SVC3003", expected);
}

/** @throws SvcError SVC3003 */
function parseHostPort(text: string): { host: string; port: number; isSecure: boolean } {
  const form = /^(https?:\/\/)?\[?([\w.:-]+?)\]?:(\d{1,5})\/?$/;
  const [, scheme, host, port] = form.exec(text) ?? [];
  if (host !== undefined && Number(port) <= 65_535) {
    return { host, port: Number(port), isSecure: scheme === "https://" };
  }
  const expected = `--from: expected <host:port>, got ${JSON.stringify(text)}`;
  throw new SvcError("SVC3003", expected);
}

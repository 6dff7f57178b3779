// Chooses the transport. hyper-express is an optional peer, not a dependency: it is resolved from
// the folder of the served project, and its native part does not load on every platform.

import { createRequire } from "node:module";
import { join } from "node:path";
import { SvcError } from "../base/errors.js";
import { netTransport } from "./net/transport.js";
import type { Transport } from "./transport.js";
import { prepareUws } from "./uws/environment.js";
import type { HyperExpress } from "./uws/uws-api.js";

const PACKAGE = "hyper-express";

export type TransportChoice = "auto" | "net" | "uws";

/** Settings that only `net` supports, with the reason. */
const NET_ONLY = {
  "http.tls": "the uws transport does not support TLS",
  "http.proxyProtocol": "the uws transport does not support the PROXY protocol",
} as const;
export type NetOnlySetting = keyof typeof NET_ONLY;

export interface LoadedTransport {
  readonly transport: Transport;
  /** Reason for the choice, for the server log. */
  readonly reason: string;
}

/**
 * Loads the configured transport.
 * @param choice `http.transport`; `auto` selects `uws` where it is available
 * @param projectDir folder from which hyper-express is resolved
 * @param netOnly a setting that `uws` does not support
 * @throws SvcError SVC2301 if `uws` is configured but not available, SVC2943 with such a setting
 */
export async function loadTransport(
  choice: TransportChoice,
  projectDir: string,
  netOnly: NetOnlySetting | null = null,
): Promise<LoadedTransport> {
  if (choice === "net") return { transport: netTransport, reason: "as configured" };
  if (netOnly !== null) {
    const problem = NET_ONLY[netOnly];
    if (choice === "uws") throw new SvcError("SVC2943", `transport uws and ${netOnly}: ${problem}`);
    return { transport: netTransport, reason: problem };
  }
  const search = findHyperExpress(projectDir);
  if ("problem" in search) {
    if (choice === "uws") throw new SvcError("SVC2301", `transport uws: ${search.problem}`);
    return { transport: netTransport, reason: search.problem };
  }
  const reason = choice === "uws" ? "as configured" : `${PACKAGE} ${search.version} is installed`;
  const { uwsTransport } = await import("./uws/transport.js");
  return { transport: uwsTransport(search.hyperExpress), reason };
}

function findHyperExpress(
  projectDir: string,
): { hyperExpress: HyperExpress; version: string } | { problem: string } {
  const require = createRequire(join(projectDir, "package.json"));
  try {
    require.resolve(PACKAGE);
  } catch {
    return { problem: `${PACKAGE} is not installed` };
  }
  prepareUws();
  try {
    const hyperExpress: HyperExpress = require(PACKAGE);
    const { version }: { version: string } = require(`${PACKAGE}/package.json`);
    return { hyperExpress, version };
  } catch (error) {
    return { problem: `${PACKAGE} does not load: ${lastLine((error as Error).message)}` };
  }
}

/** uWebSockets prints advice first and the cause last. */
function lastLine(message: string): string {
  return message.trim().split("\n").at(-1)!;
}

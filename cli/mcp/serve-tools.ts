// Connects the tools of `svc mcp` to a running server, or to one in this process on a free loopback
// port. Server output goes to standard error.

import { Connection } from "../../client/typescript/connection.js";
import { SvcError } from "../../runtime/base/errors.js";
import { accessToken } from "../contract/access-token.js";
import { loadArgspec } from "../contract/load-argspec.js";
import { readBuild } from "../serving/built-project.js";
import { Instance } from "../serving/instance.js";
import { limitedFetch } from "./limited-fetch.js";
import { serveProtocol } from "./serve-protocol.js";
import { ToolCaller } from "./tool-caller.js";

const HOST = "127.0.0.1";

/**
 * Serves a build and offers its tools until the client disconnects or a signal arrives.
 * @throws SvcError SVC3006 without a build, SVC3021 if it cannot be served
 */
export async function serveTools(folder: string): Promise<void> {
  readBuild(folder);
  const options = [folder, "--ip", HOST, "--admin-ip", HOST];
  const instance = new Instance("server", 0, options, {
    up() {},
    down: (_, reason, delayMs) => note(`server is down (${reason}); restarting in ${delayMs} ms`),
    line: (_, text) => process.stderr.write(`${text}\n`),
  });
  try {
    await instance.start();
    await selectTools(`http://${HOST}:${instance.port}`);
  } catch (error) {
    if (!(error instanceof SvcError && error.code === "SVC3013")) throw error;
    throw new SvcError("SVC3021", `cannot serve ${folder}`, { cause: error });
  } finally {
    await instance.stop();
  }
}

/**
 * Offers the tools of a running server.
 * @param url address of the server, including its prefix
 * @throws SvcError like `loadArgspec`
 */
export async function selectTools(url: string): Promise<void> {
  const argspec = await loadArgspec(url);
  const { origin, pathname } = new URL(url);
  const baseUrl = `${origin}${pathname}`;
  const options = { baseUrl, token: accessToken(), fetch: limitedFetch, warn: note };
  const connection = new Connection(options, argspec.hash);
  const caller = new ToolCaller(argspec, connection);
  for (const { name, reason } of caller.leftOut) note(`\`${name}\` is omitted: ${reason}`);
  await serveProtocol(argspec.service.name ?? "svc", caller);
}

function note(text: string): void {
  process.stderr.write(`svc: ${text}\n`);
}

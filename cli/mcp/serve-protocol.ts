// The Model Context Protocol over standard input and output by the official package, for revisions
// with and without a handshake. Must load nothing that writes to standard output.

import { PassThrough, type Readable } from "node:stream";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { packageInfo } from "../../runtime/base/package-info.js";
import { onTerminationSignal } from "../../runtime/lifecycle/termination-signals.js";
import type { ToolCaller } from "./tool-caller.js";

/**
 * Resolves when the input or output has ended, or a signal arrived; a second signal ends the
 * process at once.
 * @param name of the service
 */
export async function serveProtocol(name: string, caller: ToolCaller): Promise<void> {
  const transport = new EndingTransport(() => caller.drained());
  const handle = serveStdio(() => serverOf(name, caller), { transport, onerror: report });
  const unlisten = onTerminationSignal(
    () => void handle.close(),
    () => process.exit(1),
  );
  await transport.ended;
  unlisten();
}

function serverOf(name: string, caller: ToolCaller): Server {
  const { version } = packageInfo();
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  server.onerror = report;
  server.setRequestHandler("tools/list", () => ({ tools: [...caller.tools] }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }) => {
    const result = caller.call(params.name, params.arguments ?? {}, signal);
    if (result !== null) return result;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `tool not found: ${params.name}`);
  });
  return server;
}

function report(error: Error): void {
  process.stderr.write(`svc: ${error.message}\n`);
}

/** Time limit of calls after the input has ended. */
const DRAIN_MS = 30_000;

/**
 * Delays the end of the input until running calls are answered: a pipe may end after its last line.
 */
function drainedInput(drained: () => Promise<void>): Readable {
  const input = new PassThrough();
  process.stdin.on("error", (error) => input.destroy(error));
  process.stdin.pipe(input, { end: false });
  process.stdin.once("end", async () => {
    // The transport has not read the last lines yet.
    await nextTurn();
    const late = delay(DRAIN_MS, null, { ref: false });
    await Promise.race([drained(), late]);
    // Responses are written after their calls have ended.
    await nextTurn();
    input.end();
  });
  return input;
}

/** A transport that reports its end, whatever the reason. */
class EndingTransport extends StdioServerTransport {
  /** @param drained resolves when no call is running */
  constructor(drained: () => Promise<void>) {
    super(drainedInput(drained));
  }

  #resolve: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  override async close(): Promise<void> {
    await super.close();
    // The input must not keep the process alive.
    process.stdin.unpipe().pause();
    this.#resolve();
  }
}

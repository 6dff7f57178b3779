// The Model Context Protocol over standard input and output, by the official package: both the
// revisions with a handshake and those without. Must load nothing that writes to standard output.

import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { packageInfo } from "../../runtime/base/package-info.js";
import { onTerminationSignal } from "../../runtime/lifecycle/termination-signals.js";
import type { ToolCaller } from "./tool-caller.js";

/**
 * Resolves once the input has ended, the output is gone, or a signal came; a second signal ends the
 * process at once.
 * @param name of the service
 */
export async function serveProtocol(name: string, caller: ToolCaller): Promise<void> {
  const transport = new EndingTransport();
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

/** Reports its end, whatever the reason. */
class EndingTransport extends StdioServerTransport {
  #resolve: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  override async close(): Promise<void> {
    await super.close();
    this.#resolve();
  }
}

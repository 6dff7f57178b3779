// A back-end whose host drops connections, as behind a firewall: a stopped process with a full
// accept queue, so that the kernel completes no further handshake.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { BackEndAddress } from "../../../../runtime/settings/matrix-config.js";

const LISTEN = `
const server = require("node:net").createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));
`;
/** More than fit into the smallest accept queue. */
const FILLERS = 8;

export class DeafBackEnd {
  private constructor(
    readonly address: BackEndAddress,
    readonly process: ChildProcess,
    readonly fillers: readonly Socket[],
  ) {}

  static async start(): Promise<DeafBackEnd> {
    const child = spawn(process.execPath, ["-e", LISTEN], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout!, "data");
    child.kill("SIGSTOP");
    const address = { host: "127.0.0.1", port: Number(line) };
    const fillers = Array.from({ length: FILLERS }, () => {
      return connect(address.port, address.host).on("error", () => {});
    });
    await once(fillers[0]!, "connect");
    // The kernel accepts them in any order; once one has to wait, it accepts no more.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new DeafBackEnd(address, child, fillers);
  }

  stop(): void {
    for (const filler of this.fillers) filler.destroy();
    this.process.kill("SIGKILL");
  }
}

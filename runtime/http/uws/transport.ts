// The `uws` transport: hyper-express on uWebSockets, for those who have installed it and prefer
// less CPU a request to the last rule of the interface. docs/internals/uws-differences.md
// lists what differs.

import { type AddressInfo, createServer } from "node:net";
import type { Transport } from "../transport.js";
import { UwsServer } from "./server.js";
import type { HyperExpress } from "./uws-api.js";

/** The transport on a loaded hyper-express. */
export function uwsTransport(hyperExpress: HyperExpress): Transport {
  return {
    name: "uws",
    async listen(port, ip, options, events) {
      const free = await findAddress(port, ip);
      const server = new UwsServer(hyperExpress, options, events);
      await server.listen(free.port, free.address);
      return server;
    },
  };
}

/**
 * Binds the address for a moment: uWebSockets would share a port that is in use instead of failing,
 * does not say what the system's error was, and cannot pick a free port of both address families.
 */
function findAddress(port: number, ip: string | null): Promise<AddressInfo> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(ip === null ? { port } : { port, host: ip }, () => {
      const address = probe.address() as AddressInfo;
      probe.close(() => resolve(address));
    });
  });
}

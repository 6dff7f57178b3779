// The `uws` transport: hyper-express on uWebSockets, for users who install it and accept small
// departures from the interface for less CPU per request. docs/internals/uws-differences.md lists
// them.

import { type AddressInfo, createServer } from "node:net";
import type { Transport } from "../transport.js";
import { UwsServer } from "./server.js";
import type { HyperExpress } from "./uws-api.js";

/** Creates the transport from a loaded hyper-express. */
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
 * Binds the address briefly: uWebSockets would share a port in use instead of failing, hides the
 * system's error, and cannot pick a free port of both address families.
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

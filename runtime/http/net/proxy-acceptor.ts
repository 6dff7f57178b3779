// Accepts connections of proxies that name their clients by the PROXY protocol. A header is
// required: a server that accepts connections without one lets clients of the proxy send theirs.

import type { Socket } from "node:net";
import { HEAD_TIMEOUT_MS } from "../../base/limits.js";
import { log } from "../../base/log.js";
import { type ProxySource, parseProxyHeader } from "./proxy-header.js";

export class ProxyAcceptor {
  /** With the time at which the header must be complete. */
  readonly #waiting = new Map<Socket, number>();

  /** Connections without a complete header. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Reads the header of a connection, then passes on its source: null for one of the proxy's own.
   * Closes the connection if the header is invalid or does not arrive in time.
   * @param settled called at the end in any case
   */
  accept(socket: Socket, named: (source: ProxySource | null) => void, settled: () => void): void {
    let bytes: Buffer = Buffer.alloc(0);
    const proxy = socket.remoteAddress;
    this.#waiting.set(socket, performance.now() + HEAD_TIMEOUT_MS);
    const leave = (): void => {
      socket.off("readable", read).off("close", lost).off("end", end);
      this.#waiting.delete(socket);
    };
    const lost = (): void => {
      leave();
      settled();
    };
    const end = (): void => void socket.destroy();
    const read = (): void => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      bytes = Buffer.concat([bytes, chunk]);
      const header = parseProxyHeader(bytes);
      if (header === "incomplete") return;
      if (header === null) {
        log(`connection of proxy ${proxy} closed: it has no valid PROXY protocol header`, "warn");
        socket.destroy();
        return;
      }
      const rest = bytes.subarray(header.byteLength);
      if (rest.length > 0) socket.unshift(rest);
      // Removed first: the socket must not count as waiting and as a connection.
      leave();
      named(header.source);
      settled();
    };
    socket.on("error", () => {});
    socket.on("readable", read).on("close", lost).on("end", end);
  }

  /** Closes late connections by `monotonicMs`, milliseconds of `performance.now`. */
  sweep(monotonicMs: number): void {
    for (const [socket, untilMs] of this.#waiting) if (monotonicMs >= untilMs) socket.destroy();
  }

  close(): void {
    for (const socket of this.#waiting.keys()) socket.destroy();
  }
}

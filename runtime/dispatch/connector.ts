// Opens connections to back-ends: plain, or TLS with the certificates of `options.tls`. A back-end
// with an invalid certificate counts as unreachable.

import { connect, type Socket } from "node:net";
import { tls } from "../base/node-modules.js";
import { TlsFiles } from "../base/tls-files.js";
import { readTlsPaths } from "../base/tls-paths.js";
import type { BackEndAddress, BackEndTls } from "../settings/matrix-config.js";
import type { ByteSocket } from "../trunk/byte-socket.js";

const LABEL = "dispatcher.options.tls";

/** Receive buffer and callback of a socket. */
export interface ReadCallback {
  readonly buffer: Uint8Array;
  readonly callback: (count: number, bytes: Uint8Array) => boolean;
}

/** Opens an unencrypted connection. */
export type Connect = (address: BackEndAddress, onread?: ReadCallback) => Socket;

const overSockets: Connect = ({ host, port }, onread) => {
  return connect({ host, port, noDelay: true, ...(onread !== undefined && { onread }) });
};

/** Opens the transport of a channel. */
export interface Opener {
  /** Event after which it can be used. */
  readonly connected: "connect" | "secureConnect";
  open(address: BackEndAddress, onread: ReadCallback): ByteSocket;
}

export class Connector implements Opener {
  readonly connected: "connect" | "secureConnect";
  readonly #tls: BackEndTls | null;
  readonly #files: TlsFiles | null;
  readonly #connect: Connect;

  /** @param folder base of relative paths */
  constructor(tls: BackEndTls | null, folder: string, connectPlain = overSockets) {
    this.#connect = connectPlain;
    this.connected = tls === null ? "connect" : "secureConnect";
    this.#tls = tls;
    this.#files = tls && new TlsFiles(readTlsPaths(folder, tls), LABEL);
  }

  /** @throws SvcError if the certificates are unusable */
  async load(): Promise<void> {
    await this.#files?.load();
  }

  /** Reloads changed certificate files for later connections. */
  refresh(): void {
    void this.#files?.refresh();
  }

  open({ host, port }: BackEndAddress, onread?: ReadCallback): Socket {
    if (this.#tls === null) return this.#connect({ host, port }, onread);
    const { name } = this.#tls;
    return tls()
      .connect({
        ...{ host, port, minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] },
        ...(onread !== undefined && { onread }),
        secureContext: this.#files!.material.context,
        ...(name === null ? {} : { servername: name }),
      })
      .setNoDelay(true);
  }
}

export const PLAIN = new Connector(null, "");

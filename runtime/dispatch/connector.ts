// How connections to back-ends are opened: plain, or by TLS with the certificates that
// `options.tls` names. A back-end whose certificate does not hold is one that cannot be reached.

import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { TlsFiles } from "../base/tls-files.js";
import { readTlsPaths } from "../base/tls-paths.js";
import type { BackEndAddress, BackEndTls } from "../settings/matrix-config.js";
import type { ByteSocket } from "../trunk/byte-socket.js";

const LABEL = "dispatcher.options.tls";

/** Where what arrives is put, and who is told. */
export interface ReadCallback {
  readonly buffer: Uint8Array;
  readonly callback: (count: number, bytes: Uint8Array) => boolean;
}

/** Opens a connection that is not encrypted. */
export type Connect = (address: BackEndAddress, onread: ReadCallback) => Socket;

const overSockets: Connect = ({ host, port }, onread) => {
  return connect({ host, port, noDelay: true, onread });
};

/** Opens what a channel sends its requests on. */
export interface Opener {
  /** The event by which it tells that it may be used. */
  readonly connected: "connect" | "secureConnect";
  open(address: BackEndAddress, onread: ReadCallback): ByteSocket;
}

export class Connector implements Opener {
  readonly connected: "connect" | "secureConnect";
  readonly #tls: BackEndTls | null;
  readonly #files: TlsFiles | null;
  readonly #connect: Connect;

  /** @param folder what paths are relative to */
  constructor(tls: BackEndTls | null, folder: string, connectPlain = overSockets) {
    this.#connect = connectPlain;
    this.connected = tls === null ? "connect" : "secureConnect";
    this.#tls = tls;
    this.#files = tls && new TlsFiles(readTlsPaths(folder, tls), LABEL);
  }

  /** @throws SvcError for certificates that cannot be used */
  async load(): Promise<void> {
    await this.#files?.load();
  }

  /** To be called at times: connections that are made from now on have the files as they are. */
  refresh(): void {
    void this.#files?.refresh();
  }

  open({ host, port }: BackEndAddress, onread: ReadCallback): Socket {
    if (this.#tls === null) return this.#connect({ host, port }, onread);
    const { name } = this.#tls;
    return connectTls({
      ...{ host, port, onread, minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] },
      secureContext: this.#files!.material.context,
      ...(name === null ? {} : { servername: name }),
    }).setNoDelay(true);
  }
}

export const PLAIN = new Connector(null, "");

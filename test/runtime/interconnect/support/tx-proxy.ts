// Stands between a provider and a subscriber, and spoils what is sent: cuts connections, flips
// bits, holds pieces up. Its address stays while the subscriber behind it comes and goes.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Random } from "../../../property/support/random.js";

export class TxProxy {
  readonly #server: Server;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  readonly target: number;
  /** The next piece from either side is damaged. */
  #isDamaging = false;
  delayMs = 0;

  private constructor(server: Server, target: number, random: Random) {
    this.#server = server;
    this.#random = random;
    this.target = target;
    server.on("connection", (client: Socket) => this.#accept(client));
  }

  /** @param target port of the subscriber, which may not listen yet */
  static async start(target: number, random: Random): Promise<TxProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TxProxy(server, target, random);
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  damage(): void {
    this.#isDamaging = true;
  }

  /** Nothing goes wrong any more. */
  heal(): void {
    this.#isDamaging = false;
    this.delayMs = 0;
  }

  stop(): void {
    this.#server.close();
    this.cut();
  }

  #accept(client: Socket): void {
    const back = connect(this.target, "127.0.0.1");
    this.#join(client, back);
    this.#join(back, client);
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("error", () => undefined);
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on("data", (piece: Buffer) => {
      if (this.#isDamaging) {
        this.#isDamaging = false;
        piece[this.#random.below(piece.length)]! ^= 1 << this.#random.below(8);
      }
      if (this.delayMs === 0) to.write(piece);
      else setTimeout(() => to.write(piece), this.delayMs);
    });
  }
}

// Fault-injecting proxy between a provider and a subscriber: cuts connections, flips bits, drops,
// repeats and invents bytes, delays chunks. Its address stays while the subscriber behind it
// restarts.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Random } from "../../../property/support/random.js";

export class TxProxy {
  readonly #server: Server;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  readonly target: number;
  /** Corrupts the next chunk of either side. */
  #isDamaging = false;
  delayMs = 0;

  private constructor(server: Server, target: number, random: Random) {
    this.#server = server;
    this.#random = random;
    this.target = target;
    server.on("connection", (client: Socket) => this.#accept(client));
  }

  /** @param target port of the subscriber, which need not listen yet */
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

  /** Stops injecting faults. */
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
    from.on("data", (sentBytes: Buffer) => {
      const piece = this.#isDamaging ? damaged(sentBytes, this.#random) : sentBytes;
      this.#isDamaging = false;
      if (this.delayMs === 0) to.write(piece);
      else setTimeout(() => to.write(piece), this.delayMs);
    });
  }
}

function damaged(piece: Buffer, random: Random): Buffer {
  const offset = random.below(piece.length);
  const some = piece.subarray(offset, offset + 1 + random.below(64));
  switch (random.of(["flipped", "lost", "repeated", "made up"] as const)) {
    case "flipped":
      piece[offset]! ^= 1 << random.below(8);
      return piece;
    case "lost":
      return Buffer.concat([piece.subarray(0, offset), piece.subarray(offset + some.length)]);
    case "repeated":
      return Buffer.concat([piece, some]);
    case "made up":
      return Buffer.concat([
        piece.subarray(0, offset),
        Buffer.alloc(1 + offset, offset),
        piece.subarray(offset),
      ]);
  }
}

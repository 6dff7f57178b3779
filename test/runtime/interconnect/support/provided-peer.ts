// A provider of a log in memory, and its subscriber: the other end of a real connection.

import { on, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { StartingPoint } from "../../../../runtime/interconnect/catch-up-plan.js";
import { FlowControl } from "../../../../runtime/interconnect/flow-control.js";
import type { MemberProgress } from "../../../../runtime/interconnect/log-transport.js";
import { Provider } from "../../../../runtime/interconnect/provider.js";
import { type Message, MessageType } from "../../../../runtime/interconnect/wire/messages.js";
import { Peer } from "../../../../runtime/interconnect/wire/peer.js";
import type { Positions } from "../../../../runtime/interconnect/wire/positions.js";
import { SharedKey } from "../../../../runtime/interconnect/wire/shared-key.js";
import { Traffic } from "../../../../runtime/metrics/traffic.js";
import { EPOCH, GraphLog } from "./graph-log.js";

const KEY = new SharedKey(null);
/** Of the event loop: many more than anything here takes. */
const MAX_TURNS = 100_000;
const DIGEST = "0".repeat(32);

export class ProvidedPeer {
  readonly log = new GraphLog(["a", "b", "c"]);
  readonly logLines: string[] = [];
  readonly fences: number[] = [];
  readonly gate = new FlowControl();
  readonly traffic = new Traffic();
  readonly provider: Provider;
  /** Part of the starting point of the provider; its log is the root, by default. */
  origin: Partial<StartingPoint> = {};
  readonly #server: Server;
  readonly #connections: AsyncIterator<[Socket]>;
  readonly #running: Promise<void>[] = [];

  private constructor(server: Server, members: MemberProgress | undefined) {
    const { log, gate, traffic } = this;
    this.#server = server;
    this.#connections = on(server, "connection") as AsyncIterator<[Socket]>;
    const { port } = server.address() as AddressInfo;
    const status = { at: 0, host: "", adminPort: 0, serial: 0, digest: DIGEST, graphs: [] };
    this.provider = new Provider({
      ...{ host: "127.0.0.1", port, key: KEY, log, snapshots: log, gate, traffic, members },
      origin: () => ({
        ...{ isRoot: true, log: log.channel.log.logId, ancestors: [], isCaughtUp: true },
        ...this.origin,
      }),
      status: () => ({ ...status, goal: log.channel.log.last }),
      onFenced: (epoch) => this.fences.push(epoch),
      warn: (line) => this.logLines.push(line),
    });
  }

  static async create(members?: MemberProgress): Promise<ProvidedPeer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ProvidedPeer(server, members);
  }

  run(): void {
    this.#running.push(this.provider.run());
  }

  /** Returns the next connection of the provider. */
  async accept(): Promise<Socket> {
    const { value } = await this.#connections.next();
    return value[0];
  }

  /** Returns the next connection, on which both ends have proved who they are. */
  async meet(): Promise<Connection> {
    const socket = await this.accept();
    const peer = new Peer(socket);
    await peer.handshake("subscriber", KEY);
    return { socket, peer };
  }

  /** Returns the next connection of a subscriber, by default one without any graph. */
  async subscribe(positions: Partial<Positions> = {}): Promise<Subscription> {
    const connection = await this.meet();
    const nothing = { log: null, origin: null, epoch: EPOCH, graphs: [], diverged: [] };
    await connection.peer.sendJson(MessageType.Positions, { ...nothing, ...positions });
    return new Subscription(connection);
  }

  /** Resolves when the provider has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async stop(): Promise<void> {
    this.provider.stop();
    await this.ended();
    this.#server.close();
    this.log.close();
  }
}

interface Connection {
  readonly socket: Socket;
  readonly peer: Peer;
}

/** The connection of a subscriber, which reads all messages. */
export class Subscription {
  readonly peer: Peer;
  readonly #socket: Socket;
  readonly messages: Message[] = [];
  isClosed = false;

  constructor({ socket, peer }: Connection) {
    this.peer = peer;
    this.#socket = socket;
    void this.#read();
  }

  get types(): number[] {
    return this.messages.map(({ type }) => type);
  }

  /** Resolves with the first message of a type. */
  async first(type: number): Promise<Message> {
    await until(() => this.types.includes(type));
    return this.messages.find((message) => message.type === type)!;
  }

  acknowledge(sn: number): Promise<void> {
    const body = Buffer.alloc(8);
    body.writeBigUInt64LE(BigInt(sn));
    return this.peer.send(MessageType.Ack, body);
  }

  /** Ends the connection as a process that stops does. */
  leave(): void {
    this.#socket.end();
  }

  async closed(): Promise<void> {
    await until(() => this.isClosed);
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const message = await this.peer.next();
        if (message === null) break;
        this.messages.push(message);
      }
    } catch {
      // The connection was reset.
    }
    this.isClosed = true;
  }
}

/** Waits for something that no timer brings. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    if (turns > MAX_TURNS) throw new Error(`it never came: ${holds}`);
    await turn();
  }
}

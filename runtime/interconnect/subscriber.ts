// Listens for a provider, one at a time, and keeps the graphs of this instance as that one's are:
// what comes is applied, and goes from there to the log of this instance like any other change.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { SvcError } from "../base/errors.js";
import type { LogLine } from "../base/log-settings.js";
import type { Traffic } from "../metrics/traffic.js";
import type { FlowControl } from "./flow-control.js";
import { serialBase } from "./log/log-id.js";
import type { Replica } from "./replica.js";
import { type Message, MessageType, malformedMessage } from "./wire/messages.js";
import { Peer, parseJsonBody } from "./wire/peer.js";
import { parseOffer } from "./wire/positions.js";
import { isLoopbackAddress, type SharedKey } from "./wire/shared-key.js";
import { type PeerStatus, parseStatus } from "./wire/status.js";

const MAX_CONNECTIONS = 16;
/** Within the silence after which the provider takes the connection for dead. */
const ACK_MS = 2_000;
const NOTHING = Buffer.alloc(0);
/** Of failures of strangers one is said in this time. */
const HANDSHAKE_TIMEOUT_MS = 1_000;

export interface SubscriberParts {
  readonly port: number;
  /** Address to listen on; null: all. */
  readonly ip: string | null;
  readonly key: SharedKey;
  /** Is called once the port is had: it marks the root. */
  readonly replica: () => Promise<Replica>;
  /** What comes may be held up. */
  readonly gate: FlowControl;
  readonly traffic: Traffic;
  readonly status: () => PeerStatus;
  readonly warn: LogLine;
}

/** Takes what another instance provides. */
export interface SubscriberState {
  /** Log of the first provider, through whomever it came; null: nothing has come yet. */
  readonly origin: string | null;
  stop(): void;
  /** Takes nothing more; before its root is no longer called a replica's. */
  retire(): Promise<void>;
  /** Resolves when the root says how far it has followed; it is stopped. */
  settle(): Promise<void>;
  /** Follows nobody any more, and fences off providers of former epochs. */
  promoted(epoch: number): void;
  /** To be called when the gate is opened. */
  wake(): void;
}

export class Subscriber implements SubscriberState {
  readonly #parts: SubscriberParts;
  readonly #server: Server;
  readonly #peers = new Set<Peer>();
  /** There is one from when the port is listened on, unless it provides by itself. */
  #replica: Replica | null = null;
  #provider: Peer | null = null;
  /** Null: the provider has changes from another one, whose numbers it tells with its status. */
  #serialBase: number | null = null;
  #lastSaid = "";
  #lastStrangerLogAt = Number.NEGATIVE_INFINITY;
  /** Not null: it provides by itself now, and says so to whoever wants to be its provider. */
  #promotedTo: number | null = null;
  #goOn: () => void = () => undefined;

  constructor(parts: SubscriberParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => void this.#serve(socket));
  }

  /**
   * @param promotedTo epoch of an instance that only says that it has taken over; null: it follows
   * @returns the port, which a free one was taken for where it is 0
   * @throws SvcError SVC2530 the port cannot be had, SVC2534
   */
  async listen(promotedTo: number | null = null): Promise<number> {
    const { port, ip, key } = this.#parts;
    this.#promotedTo = promotedTo;
    const host = key.isThere ? (ip ?? undefined) : "127.0.0.1";
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error) => {
        const text = `replication: port ${port} cannot be listened on: ${error.message}`;
        reject(new SvcError("SVC2530", text, { cause: error }));
      });
      this.#server.listen({ port, host }, resolve);
    });
    this.#server.on("error", (error) => this.#say(error));
    const had = (this.#server.address() as AddressInfo).port;
    if (promotedTo !== null) return had;
    try {
      this.#replica = await this.#parts.replica();
    } catch (error) {
      this.stop();
      throw error;
    }
    return had;
  }

  get origin(): string | null {
    return this.#replica?.origin ?? null;
  }

  stop(): void {
    this.#server.close();
    this.#end();
  }

  async retire(): Promise<void> {
    await this.#replica?.retire();
  }

  async settle(): Promise<void> {
    await this.#replica?.settle();
  }

  promoted(epoch: number): void {
    this.#promotedTo = epoch;
    this.#end();
  }

  wake(): void {
    this.#goOn();
  }

  #end(): void {
    for (const peer of this.#peers) peer.close();
    this.#goOn();
  }

  async #serve(socket: Socket): Promise<void> {
    const { key, traffic } = this.#parts;
    if (!this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const peer = new Peer(socket);
    this.#peers.add(peer);
    try {
      if (!key.isThere && !isLoopbackAddress(peer.address))
        throw malformedMessage("a stranger without a key");
      await peer.handshake("subscriber", key);
      if (this.#promotedTo !== null) {
        await this.#fence(peer, this.#promotedTo);
        return;
      }
      if (this.#provider !== null) {
        await peer.refuse("it has a provider already");
        return;
      }
      this.#provider = peer;
      traffic.provider = `svc://${peer.address}:${peer.port}`;
      await this.#follow(peer);
    } catch (error) {
      if (peer.isTrusted) this.#say(error as Error);
      else this.#logStranger(error as Error);
      // Texts of other errors may say more than the other end has to know.
      if (isRefusal(error)) await peer.refuse((error as Error).message);
    } finally {
      peer.close();
      this.#peers.delete(peer);
      if (this.#provider === peer) {
        this.#provider = null;
        traffic.provider = null;
        traffic.providerDigest = "";
      }
    }
  }

  /** Strangers keep nobody out: the one that has been here longest goes. */
  #makeRoom(): boolean {
    if (this.#peers.size < MAX_CONNECTIONS) return true;
    const oldest = [...this.#peers].find((peer) => !peer.isTrusted);
    if (oldest === undefined) return false;
    oldest.close();
    return this.#peers.delete(oldest);
  }

  async #fence(peer: Peer, epoch: number): Promise<void> {
    await peer.sendJson(MessageType.Positions, {
      ...{ log: null, origin: null, epoch, graphs: [], diverged: [] },
    });
    await peer.next();
  }

  async #follow(peer: Peer): Promise<void> {
    const { warn } = this.#parts;
    const replica = this.#replica!;
    await peer.sendJson(MessageType.Positions, replica.positions());
    const offer = parseOffer(parseJsonBody(await peer.answer(MessageType.Table)));
    await replica.accept(offer);
    // Not before: what a former provider sent may become safe only now, and is not to be taken for
    // something that this one has.
    replica.onSafe = () => this.#acknowledge();
    this.#serialBase = offer.isRoot ? serialBase(offer.logId) : null;
    warn(`replication: ${peer.address} provides ${offer.graphs.length} graphs`);
    this.#lastSaid = "";
    const say = (): void => {
      this.#acknowledge();
      replica.keepMark();
      void peer.sendJson(MessageType.Status, this.#parts.status()).catch(() => undefined);
    };
    say();
    const timer = setInterval(say, ACK_MS).unref();
    try {
      for (;;) {
        const message = await peer.next();
        if (message === null) return;
        if (!this.#parts.gate.isOpen && !(await this.#hold(peer))) return;
        await this.#take(peer, message);
      }
    } finally {
      clearInterval(timer);
      replica.onSafe = () => undefined;
      replica.mark();
      warn(`replication: ${peer.address} has gone`);
    }
  }

  /** Until the gate is opened; false: the provider has gone before. */
  async #hold(peer: Peer): Promise<boolean> {
    await peer.send(MessageType.Pause, NOTHING);
    while (!this.#parts.gate.isOpen) {
      if (!(await peer.readAhead(this.#opened())) || peer.isClosed) return false;
    }
    await peer.send(MessageType.Resume, NOTHING);
    return true;
  }

  #opened(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  async #take(peer: Peer, { type, body }: Message): Promise<void> {
    const { traffic } = this.#parts;
    const replica = this.#replica!;
    if (type === MessageType.Frame) {
      await this.#apply(body);
    } else if (type === MessageType.Start) {
      replica.start(parseJsonBody(body));
    } else if (type === MessageType.Status) {
      const { at, serial, digest, graphs } = parseStatus(parseJsonBody(body));
      replica.compare(graphs);
      // All that was sent before it is applied.
      traffic.lagMs = Math.max(0, Date.now() - at);
      traffic.serial = serial;
      traffic.providerDigest = digest;
    } else if (type === MessageType.SnapshotBegin) {
      traffic.synchronizing++;
      try {
        await replica.receive(peer, parseJsonBody(body));
      } finally {
        traffic.synchronizing--;
      }
    } else throw malformedMessage(`message ${type} is not expected`);
  }

  async #apply(body: Buffer): Promise<void> {
    const { traffic } = this.#parts;
    const replica = this.#replica!;
    const { header, records } = await replica.take(body);
    traffic.count(traffic.in, body.length, header.units, records);
    if (this.#serialBase !== null) traffic.serial = this.#serialBase + header.sn + header.units - 1;
  }

  /** What is safe on this instance's own disk, too. */
  #acknowledge(): void {
    const { durableSn } = this.#replica!;
    if (durableSn === null) return;
    const body = Buffer.alloc(8);
    body.writeBigUInt64LE(BigInt(durableSn));
    // Who does not read them is not waited for here: the connection is lost then.
    this.#provider?.send(MessageType.Ack, body).catch(() => undefined);
  }

  /** They may fail in as many ways, and as often, as they like. */
  #logStranger(error: Error): void {
    if (performance.now() - this.#lastStrangerLogAt < HANDSHAKE_TIMEOUT_MS) return;
    this.#lastStrangerLogAt = performance.now();
    this.#say(error);
  }

  /** Each failure once, not at every attempt. */
  #say(error: Error): void {
    const { message } = error;
    if (message === this.#lastSaid) return;
    this.#lastSaid = message;
    this.#parts.warn(`${error instanceof SvcError ? error.code : "SVC2531"}: ${message}`, "warn");
  }
}

/** What the other end is to know, too. */
function isRefusal(error: unknown): boolean {
  return error instanceof SvcError && ["SVC2532", "SVC2535", "SVC3200"].includes(error.code);
}

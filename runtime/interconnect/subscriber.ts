// Replication subscriber: listens for providers, follows one at a time and applies its changes.
// They enter the log of this instance like any others.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { SvcError } from "../base/errors.js";
import type { LogLine } from "../base/log-settings.js";
import type { ReplicaReport, Traffic } from "../metrics/traffic.js";
import type { FlowControl } from "./flow-control.js";
import { staleEpochError } from "./lineage.js";
import type { LogFollower } from "./log-transport.js";
import type { Replica } from "./replica.js";
import { ReplicaInput } from "./replica-input.js";
import { MessageType, malformedMessage } from "./wire/messages.js";
import { AheadError, Peer, parseJsonBody } from "./wire/peer.js";
import {
  type Ancestor,
  type Offer,
  type PeerStatus,
  type Positions,
  parseOffer,
} from "./wire/positions.js";
import { isLoopbackAddress, type SharedKey } from "./wire/shared-key.js";

const MAX_CONNECTIONS = 16;
/** Default interval of acknowledgments; shorter than the silence timeout of a provider. */
const ACK_MS = 2_000;
const NOTHING = Buffer.alloc(0);
/** Minimum interval between two log lines about unauthenticated peers. */
const UNAUTHENTICATED_LOG_MS = 1_000;

export interface SubscriberParts {
  readonly port: number;
  /** Listen address; null: all. */
  readonly ip: string | null;
  readonly key: SharedKey;
  /** Creates the replica. Called only once the port is bound, because it marks the data folder. */
  readonly replica: () => Promise<Replica>;
  /** Pauses inbound traffic. */
  readonly gate: FlowControl;
  readonly traffic: Traffic;
  readonly status: () => PeerStatus;
  readonly warn: LogLine;
  /** Group of this instance; null: none. A member follows the provider with the highest epoch. */
  readonly membership: MemberEvents | null;
}

export interface MemberEvents {
  /** Interval of acknowledgments in milliseconds. */
  readonly ackMs: number;
  /** Called when the provider has disconnected, or another one has connected. */
  onProviderChange(): void;
  /**
   * Called when this replica has changes that the leader lacks.
   * @param end transaction of the followed log at which the leader took over; null: not known
   * @throws Error if the changes cannot be discarded now
   */
  restartWithoutChanges(reason: string, end: Ancestor | null): void;
}

export class Subscriber implements LogFollower {
  readonly #parts: SubscriberParts;
  readonly #server: Server;
  readonly #peers = new Set<Peer>();
  /** Null before it listens, and on a promoted instance that only announces its epoch. */
  #replica: Replica | null = null;
  #provider: Peer | null = null;
  #lastLogged = "";
  #lastUnauthenticatedAt = Number.NEGATIVE_INFINITY;
  /** Epoch announced to providers that connect after a promotion; null: not promoted. */
  #promotedTo: number | null = null;
  #resume: () => void = () => undefined;
  /** Lowest epoch that a provider may have: the highest of a leader of its group. */
  #minEpoch = 0;

  constructor(parts: SubscriberParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => void this.#serve(socket));
  }

  /**
   * @param promotedTo epoch of a promoted instance that only announces it; null: follow
   * @returns the bound port (0 binds a free one)
   * @throws SvcError SVC2530 if the port cannot be bound, SVC2534
   */
  async listen(promotedTo: number | null = null): Promise<number> {
    const { port, ip, key } = this.#parts;
    this.#promotedTo = promotedTo;
    const host = key.isSet ? (ip ?? undefined) : "127.0.0.1";
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error) => {
        const text = `replication: cannot listen on port ${port}: ${error.message}`;
        reject(new SvcError("SVC2530", text, { cause: error }));
      });
      this.#server.listen({ port, host }, resolve);
    });
    this.#server.on("error", (error) => this.#logFailure(error));
    const boundPort = (this.#server.address() as AddressInfo).port;
    if (promotedTo !== null) return boundPort;
    try {
      this.#replica = await this.#parts.replica();
    } catch (error) {
      this.stop();
      throw error;
    }
    return boundPort;
  }

  get origin(): string | null {
    return this.#replica?.origin ?? null;
  }

  get heardAtMs(): number {
    const isFollowing = this.#parts.traffic.provider !== null;
    return (isFollowing ? this.#provider?.heardAtMs : undefined) ?? Number.NEGATIVE_INFINITY;
  }

  positions(): Positions | null {
    return this.#replica?.positions() ?? null;
  }

  report(): ReplicaReport {
    return this.#replica?.report() ?? { state: "leader", done: 0, of: 0 };
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

  onPromoted(epoch: number): void {
    this.#promotedTo = epoch;
    this.#end();
  }

  wake(): void {
    this.#resume();
  }

  rejectEpochsBelow(epoch: number): void {
    if (epoch <= this.#minEpoch) return;
    this.#minEpoch = epoch;
    if (this.#replica !== null && epoch > this.#replica.epoch) this.#provider?.close();
  }

  #end(): void {
    for (const peer of this.#peers) peer.close();
    this.#resume();
  }

  async #serve(socket: Socket): Promise<void> {
    const { key } = this.#parts;
    if (!this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const peer = new Peer(socket);
    this.#peers.add(peer);
    try {
      if (!key.isSet && !isLoopbackAddress(peer.address))
        throw malformedMessage("unauthenticated peer");
      await peer.handshake("subscriber", key);
      if (this.#promotedTo !== null) {
        await this.#fence(peer, this.#promotedTo);
        return;
      }
      if (this.#provider !== null) {
        if (this.#parts.membership !== null) await this.#leaveFor(peer);
        else await peer.refuse("already attached to a provider");
        return;
      }
      this.#provider = peer;
      await this.#follow(peer);
    } catch (caught) {
      const error = caught instanceof AheadError ? this.#discardChanges(caught) : caught;
      // A member that only reads positions disconnects at once: that is no failure.
      if (peer.isTrusted && peer.hasEnded && this.#parts.membership !== null) return;
      if (peer.isTrusted) this.#logFailure(error as Error);
      else this.#logUnauthenticated(error as Error);
      // Other messages may contain details that the peer should not see.
      if (isRefusal(error)) await peer.refuse((error as Error).message);
    } finally {
      peer.close();
      this.#peers.delete(peer);
      if (this.#provider === peer) this.#provider = null;
    }
  }

  /** Restarts without the changes that the leader lacks. Returns the error for the log. */
  #discardChanges(error: AheadError): SvcError {
    try {
      this.#parts.membership?.restartWithoutChanges(error.message, error.end);
      return error;
    } catch (failure) {
      // For example, the disk is full. The leader will connect and refuse again.
      const { message } = failure as Error;
      const text = `changes that the leader lacks cannot be set aside: ${message}`;
      return new SvcError("SVC3404", `leadership: ${text}`, { cause: failure });
    }
  }

  /**
   * Closes the oldest unauthenticated connection if there are too many; returns false if all are
   * authenticated.
   */
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

  /**
   * Disconnects from its provider if another one has a higher epoch. The other one must connect
   * again: the positions of this replica may change until the former connection is closed.
   */
  async #leaveFor(peer: Peer): Promise<void> {
    const replica = this.#replica!;
    await peer.sendJson(MessageType.Positions, replica.positions());
    // A provider of a lower epoch does not send its offer.
    const { epoch } = parseOffer(parseJsonBody(await peer.expectInTime(MessageType.Table)));
    if (epoch < replica.epoch) return;
    replica.rejectEpochsBelow(epoch);
    this.#provider?.close();
  }

  async #follow(peer: Peer): Promise<void> {
    const { warn, traffic } = this.#parts;
    const replica = this.#replica!;
    const offer = await this.#requestOffer(peer, replica);
    if (offer.epoch < this.#minEpoch) throw staleEpochError(offer.epoch, this.#minEpoch);
    await replica.accept(offer);
    // Not earlier: data of a former provider may become durable until then, and must not be
    // acknowledged to this one.
    replica.onDurable = () => this.#acknowledge();
    const input = new ReplicaInput(replica, traffic);
    input.begin(offer);
    warn(`replication: following ${peer.address} (${offer.graphs.length} graphs)`);
    this.#lastLogged = "";
    const report = (): void => {
      this.#acknowledge();
      replica.refreshMarker();
      void peer.sendJson(MessageType.Status, this.#parts.status()).catch(() => undefined);
    };
    report();
    const { membership } = this.#parts;
    const timer = setInterval(report, membership?.ackMs ?? ACK_MS).unref();
    // Not earlier: other members also connect, but only to read positions.
    traffic.provider = `svc://${peer.address}:${peer.port}`;
    try {
      for (;;) {
        const message = await peer.next();
        if (message === null) return;
        if (!this.#parts.gate.isOpen && !(await this.#hold(peer))) return;
        await input.apply(peer, message);
      }
    } finally {
      clearInterval(timer);
      replica.onDurable = () => undefined;
      traffic.provider = null;
      traffic.providerDigest = "";
      replica.writeMarker();
      replica.providerLost();
      membership?.onProviderChange();
      warn(`replication: ${peer.address} disconnected`);
    }
  }

  /** @throws SvcError SVC2532 if the provider rejects the positions of the replica */
  async #requestOffer(peer: Peer, replica: Replica): Promise<Offer> {
    await peer.sendJson(MessageType.Positions, replica.positions());
    try {
      return parseOffer(parseJsonBody(await peer.expectInTime(MessageType.Table)));
    } catch (error) {
      if (error instanceof SvcError && error.code === "SVC2532") replica.providerRejected();
      throw error;
    }
  }

  /** Waits until the flow control opens. Returns false if the provider disconnects first. */
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
      this.#resume = resolve;
    });
  }

  /** Acknowledges all transactions that are durable here. */
  #acknowledge(): void {
    const { durableSn } = this.#replica!;
    if (durableSn === null) return;
    const body = Buffer.alloc(8);
    body.writeBigUInt64LE(BigInt(durableSn));
    // Not awaited: the connection times out if the provider does not read.
    this.#provider?.send(MessageType.Ack, body).catch(() => undefined);
  }

  /** Rate-limits the log lines of unauthenticated peers. */
  #logUnauthenticated(error: Error): void {
    if (performance.now() - this.#lastUnauthenticatedAt < UNAUTHENTICATED_LOG_MS) return;
    this.#lastUnauthenticatedAt = performance.now();
    this.#logFailure(error);
  }

  /** Logs each failure once, not at every attempt. */
  #logFailure(error: Error): void {
    const { message } = error;
    if (message === this.#lastLogged) return;
    this.#lastLogged = message;
    this.#parts.warn(`${error instanceof SvcError ? error.code : "SVC2531"}: ${message}`, "warn");
  }
}

/** Returns whether the peer may see the message of an error. */
function isRefusal(error: unknown): boolean {
  return error instanceof SvcError && ["SVC2532", "SVC2535", "SVC3200"].includes(error.code);
}

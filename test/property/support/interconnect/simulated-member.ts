// An instance of the product in a virtual world: its graphs, log, replication and leadership are
// those of a server. It is killed, loses power or its disk, stands still, and starts again.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveConfig } from "../../../../runtime/base/archive-config.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import {
  encodeRecord,
  type LeadershipEngine,
  type Reading,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import type { EngineCall } from "../../../../runtime/interconnect/leadership/member.js";
import { MEMBER_FILE } from "../../../../runtime/interconnect/leadership/member-file.js";
import { setAside } from "../../../../runtime/interconnect/leadership/set-aside.js";
import type { ArchiveReport } from "../../../../runtime/metrics/traffic.js";
import type { LeadershipSettings } from "../../../../runtime/settings/server-settings.js";
import { openStore } from "../../../runtime/graph/support/make-graph.js";
import { Instance } from "../../../runtime/interconnect/support/instance.js";
import type { SimulatedEngine } from "../leadership/simulated-engine.js";
import { type FrontRequest, type FrontResponse, serveFront } from "./simulated-front.js";
import type { VirtualDisk } from "./virtual-disk.js";
import { FOLDER } from "./virtual-files.js";
import type { VirtualProcess, VirtualWorld } from "./virtual-world.js";

export const GRAPH = "g";
export const OTHER_GRAPH = "h";
const RESTART_MS = 100;

export interface MemberParts {
  readonly id: string;
  readonly world: VirtualWorld;
  readonly engine: SimulatedEngine;
  readonly port: number;
  readonly settings: LeadershipSettings;
  /** Null: it makes no backup. */
  readonly archive: ArchiveConfig | null;
  /** Port of its HTTP server, which dispatchers send requests to. */
  readonly httpPort: number;
  readonly serve: (
    member: SimulatedMember,
    instance: Instance,
    request: FrontRequest,
  ) => Promise<FrontResponse>;
  /** Called when it starts without what it had, which the leader lacks. */
  readonly discarded: (member: string) => void;
  /** Called when it answers a query: it is in service. */
  readonly inService: (member: SimulatedMember) => void;
  /** Called when its graphs are ready for service, or are not any more. */
  readonly readiness: (member: SimulatedMember, notReady: string | null) => void;
}

export class SimulatedMember {
  readonly id: string;
  readonly #parts: MemberParts;
  #disk: VirtualDisk;
  readonly root: string;
  process: VirtualProcess | null = null;
  #instance: Instance | null = null;
  /** Of all its lives. */
  readonly #instances: Instance[] = [];
  #isFreed = false;
  #graph: Graph | null = null;
  #store: GraphStore | null = null;
  #peer: GraphStore | null = null;
  /** Why its start has failed. */
  failure: Error | null = null;
  startedAt = 0;
  /** Epoch that it knew when it came into service; a later one shows that it lags. */
  readyEpoch = 0;
  /** Lines of all its lives. */
  readonly lines: string[] = [];

  constructor(parts: MemberParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.root = `${FOLDER}/${this.id}`;
    this.#disk = parts.world.files.mount(this.id);
  }

  get isUp(): boolean {
    return this.process !== null;
  }

  set hasSlowDisk(isSlow: boolean) {
    this.#disk.isSlow = isSlow;
  }

  /** Whether it follows a leader from a known position, or leads. */
  get isFollowing(): boolean {
    const state = this.hasGraph ? this.#instance!.shown.replica.state : null;
    return state === "catching-up" || state === "caught-up" || state === "leader";
  }

  /** Which data folder it has. */
  get incarnation(): string | null {
    try {
      return JSON.parse(readFileSync(join(this.root, MEMBER_FILE), "utf8")).incarnation;
    } catch {
      // It starts with an empty disk.
      return null;
    }
  }

  /** Content of its graph; null: it starts, or has not caught up. */
  get state(): unknown {
    if (!this.hasGraph || this.#instance === null) return null;
    const { state } = this.#instance.shown.replica;
    if (!this.isLeading && state !== "caught-up") return null;
    const { secondStore } = this;
    return [
      digestCheckpoint(this.store),
      secondStore === null ? null : digestCheckpoint(secondStore),
    ];
  }

  /** It answers a query. */
  checkReady(): void {
    if (this.#instance?.shown.replica.state === "caught-up") this.#parts.inService(this);
  }

  /** Role and epoch of its group as all threads of a server see them; null: it starts. */
  get group(): { readonly role: string; readonly epoch: number } | null {
    return this.#instance?.clock.group ?? null;
  }

  get isPaused(): boolean {
    return (this.process?.pausedUntil ?? 0) > this.#parts.world.time.now;
  }

  /** Whether it makes the backup of its group. */
  get isArchiving(): boolean {
    return this.#parts.archive !== null;
  }

  /** State of its backup; null: it makes none now. */
  get archive(): ArchiveReport | null {
    return this.#instance?.shown.archive ?? null;
  }

  get isLeading(): boolean {
    return this.group?.role === "leading";
  }

  start(): void {
    if (this.#isFreed) return;
    const { world, id } = this.#parts;
    const rate = 0.9 + world.random.below(201) / 1000;
    this.process = { id, rate, isAlive: true, pausedUntil: 0 };
    this.startedAt = world.time.now;
    this.readyEpoch = 0;
    rmSync(join(this.root, "svc.lock"), { force: true });
    world.after(0, this.process, () => void this.#begin());
  }

  crash(kind: "process" | "power" | "disk"): void {
    const { world } = this.#parts;
    if (this.process === null) return;
    this.process.isAlive = false;
    world.network.end(this.process, kind === "process");
    this.lines.push(...(this.#instance?.lines ?? []), `${kind} lost at ${world.time.now}`);
    [this.process, this.#instance, this.#graph] = [null, null, null];
    [this.#store, this.#peer] = [null, null];
    if (kind === "power") this.#disk.losePower(world.random);
    if (kind === "disk") this.#disk = world.files.mount(this.id);
  }

  /** The memory of its processes, which this one would keep. */
  free(): void {
    this.#isFreed = true;
    this.crash("process");
    for (const instance of this.#instances) instance.free();
  }

  pause(ms: number): void {
    if (this.process !== null) this.process.pausedUntil = this.#parts.world.time.now + ms;
  }

  /** Runs code in its process, if it runs at all. */
  run(code: (instance: Instance) => void): void {
    const { process } = this;
    const instance = this.#instance;
    if (process === null || instance === null) return;
    this.#parts.world.after(0, process, () => code(instance));
  }

  get graph(): Graph {
    const { store } = this;
    this.#graph ??= openStore(store);
    return this.#graph;
  }

  get store(): GraphStore {
    // A full copy replaces the store.
    if (this.#store?.memory.isRemoved) this.#forgetStore();
    this.#store ??= this.#instance!.store(GRAPH);
    return this.#store;
  }

  #forgetStore(): void {
    this.#store = null;
    this.#graph = null;
  }

  /** The second graph; null: there is none. */
  get secondStore(): GraphStore | null {
    if (this.#peer?.memory.isRemoved !== false) this.#peer = this.#instance!.find(OTHER_GRAPH);
    return this.#peer;
  }

  /** The graph is there, and was not replaced. */
  get hasGraph(): boolean {
    if (this.#store?.memory.isRemoved) this.#forgetStore();
    return this.#instance !== null;
  }

  get log(): string {
    return [...this.lines, ...(this.#instance?.lines ?? [])].join("\n");
  }

  async #begin(): Promise<void> {
    const { port, settings, archive } = this.#parts;
    const { process } = this;
    try {
      if (setAside(this.root) !== null) this.#parts.discarded(this.id);
      const instance = await Instance.start(this.root, {
        ...{ txPort: port, durability: "full", leadership: settings, archive },
        openEngine: () => this.#openEngine(),
        restart: () => this.#restart(),
        readiness: (notReady) => this.#parts.readiness(this, notReady),
      });
      this.#instances.push(instance);
      if (this.process !== process) return;
      this.#instance = instance;
      const { httpPort, serve } = this.#parts;
      serveFront(httpPort, (request) => serve(this, instance, request));
    } catch (error) {
      this.failure = error as Error;
    }
  }

  /** A server ends, and its supervisor starts it again. */
  #restart(): void {
    const { world } = this.#parts;
    const { process } = this;
    world.after(0, null, () => {
      if (this.process !== process) return;
      this.crash("process");
      world.after(RESTART_MS, null, () => {
        if (!this.isUp) this.start();
      });
    });
  }

  #openEngine(): LeadershipEngine {
    const { world, engine, id } = this.#parts;
    const call = <T>(engineCall: EngineCall): Promise<T> => {
      const owner = world.current;
      return new Promise((resolve) => {
        engine.call(id, engineCall, (result) => world.after(0, owner, () => resolve(result as T)));
      });
    };
    return {
      read: async () => {
        const { revision, record } = await call<Reading>({ do: "read" });
        return { revision, text: record === null ? null : encodeRecord(record) };
      },
      swap: (revision, text) => call({ do: "swap", revision, record: JSON.parse(text) }),
      close: async () => undefined,
    };
  }
}

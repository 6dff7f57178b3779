// Maintains the slot record of one instance without an operator. An instance with an empty data
// folder adopts the record of its group, a dispatcher installs the latest map, and an abandoned
// move is completed or undone.

import { SvcError } from "../base/errors.js";
import type { KeptSlots } from "../base/kept-slots.js";
import { log } from "../base/log.js";
import { latestRecord } from "../base/next-slot-step.js";
import type { NodeState } from "../builtin/server-view.js";
import { KEY_HEADER } from "../http/operator-auth.js";
import { callAdminOperation, STARTING } from "../system/call-admin-operation.js";
import type { InstanceCalls } from "../system/instance-calls.js";
import { ProcedureLease } from "../system/procedure-lease.js";
import { readDescriptor } from "../system/read-descriptor.js";
import {
  chooseLeaseSeconds,
  findGroup,
  listMembers,
  SLOTS_UNKNOWN,
  SlotInstances,
} from "../system/slot-moves/slot-instances.js";
import { SlotSteps } from "../system/slot-moves/slot-steps.js";
import { TlsContextCache } from "../system/tls-context-cache.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import type { HttpService } from "./http-service.js";
import { findShare } from "./slot-operations.js";

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2000;
/** Time without progress and without a lease before a move counts as abandoned. */
const ABANDONED_MS = 3000;
/** Maximum delay while a move is in progress. */
const MAX_MOVING_DELAY_MS = 500;
/** Maximum number of back-ends whose records a dispatcher reads. */
const MAX_BACK_ENDS = 127;

interface KeeperParts {
  readonly slots: KeptSlots;
  readonly node: () => NodeState;
  /** Whether this instance leads its group. */
  readonly leads: () => Promise<boolean>;
  readonly projectDir: string;
  readonly adminKey: string | null;
}

/** Maintains the slot record of this process while a service runs. */
export function keepSlots(
  service: HttpService,
  graphs: GraphSupervisor,
  slots: KeptSlots,
): SlotKeeper {
  const { projectDir, adminKey } = service.settings;
  const share = findShare(graphs, slots);
  return new SlotKeeper({
    ...{ slots, projectDir, adminKey, node: () => service.node },
    leads: async () => (await share.leadership()).leads,
  });
}

export class SlotKeeper {
  readonly #parts: KeeperParts;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** Whether a dispatcher has read the records of its back-ends. */
  #hasCaughtUp = false;
  #lastProgress = "";
  #lastProgressMs = 0;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#schedule(FIRST_DELAY_MS);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#run(ms), ms).unref();
  }

  async #run(ms: number): Promise<void> {
    try {
      await this.#runNext();
    } catch (error) {
      log(`slots: ${(error as Error).message}`, "debug");
    }
    const { slots } = this.#parts;
    const isMoving = slots.isKnown && slots.record.move !== null;
    this.#schedule(Math.min(isMoving ? MAX_MOVING_DELAY_MS : MAX_DELAY_MS, 2 * ms));
  }

  async #runNext(): Promise<void> {
    // Reads the descriptor, which may be large, only if there is something to do.
    const task = this.#chooseTask();
    if (task === null) return;
    const calls = this.#createCalls();
    if (calls !== null) await task(calls);
  }

  /** Returns the task that is due; null: none. */
  #chooseTask(): ((calls: InstanceCalls) => Promise<void>) | null {
    const { slots } = this.#parts;
    if (!slots.isKnown) return (calls) => this.#adopt(calls);
    if (slots.isDispatcher && !this.#hasCaughtUp) return (calls) => this.#catchUp(calls);
    return this.#isAbandoned() ? (calls) => this.#settle(calls) : null;
  }

  /** Returns null if the instance belongs to no system. */
  #createCalls(): InstanceCalls | null {
    const { node, projectDir, adminKey } = this.#parts;
    const { id, descriptor } = node();
    if (id === null || descriptor === null) return null;
    const system = readDescriptor(descriptor);
    const secure = system.tls === null ? null : new TlsContextCache(system.tls, projectDir);
    const headers = adminKey === null ? {} : { [KEY_HEADER]: adminKey };
    const address = (other: string) => {
      const { host, hport } = system.instances.get(other)!;
      return { host, port: hport + 1, secure };
    };
    return {
      system,
      address,
      call: (other, operation, parameters, body, maxBytes) => {
        const more = { ...(body !== undefined && { body }), ...(maxBytes && { maxBytes }) };
        return callAdminOperation(address(other), { operation, parameters, headers, ...more });
      },
    };
  }

  /** Adopts the record of the group's leader, from which the data of this instance come. */
  async #adopt(calls: InstanceCalls): Promise<void> {
    const { slots, leads, node, adminKey } = this.#parts;
    if (await leads()) return slots.storeInitial();
    const { system } = calls;
    const instances = new SlotInstances(calls, null);
    const members = listMembers(system).filter((id) => findGroup(system, id) === slots.own);
    const others = members.filter((id) => id !== node().id);
    const responses = await Promise.allSettled(others.map((id) => instances.readState(id)));
    const leader = listFulfilled(responses).find((state) => state.leads);
    if (leader !== undefined && !slots.isKnown) return slots.adopt(leader.record);
    if (adminKey !== null || !responses.some(isForbidden)) return;
    log("slots: no operator key, so that the map of the descriptor is used", "warn");
    slots.storeInitial();
  }

  /** Installs the latest map of the back-ends, because moves may have ended during a downtime. */
  async #catchUp(calls: InstanceCalls): Promise<void> {
    const { slots, node } = this.#parts;
    const { matrices } = calls.system;
    const below = matrices.get(node().id ?? "")?.partitions.map(([first]) => first!) ?? [];
    const instances = new SlotInstances(calls, null);
    const requests = below.slice(0, MAX_BACK_ENDS).map((id) => instances.readState(id));
    const states = listFulfilled(await Promise.allSettled(requests));
    this.#hasCaughtUp = states.length > 0;
    const latest = latestRecord(states.map(({ record }) => record));
    // Accepts an older map only if all back-ends have responded: they may have been restored.
    const isOlder = latest !== null && latest.version < slots.record.version;
    if (latest === null || (isOlder && states.length < below.length)) return;
    slots.change({ do: "install", record: { ...latest, move: null } });
  }

  /** Returns whether no run has continued a move of this instance for some time. */
  #isAbandoned(): boolean {
    const { move } = this.#parts.slots.record;
    const { lease } = this.#parts.node();
    const progress = move === null || lease !== null ? "" : `${move.id} ${move.isGiven}`;
    if (progress !== this.#lastProgress) this.#lastProgressMs = performance.now();
    this.#lastProgress = progress;
    return progress !== "" && performance.now() - this.#lastProgressMs >= ABANDONED_MS;
  }

  async #settle(calls: InstanceCalls): Promise<void> {
    // Restarts the waiting time, because every instance with the move surveys all others.
    this.#lastProgressMs = performance.now();
    // Surveyed without the lease, which would block operators while an instance is unreachable.
    const instances = new SlotInstances(calls, null);
    const states = await Promise.all(
      listMembers(calls.system).map((id) => instances.waitForState(id)),
    );
    // A run is still active, but has not yet reached this instance since its restart.
    if (states.some(({ isRun }) => isRun)) return;
    const run = { ...calls, isForced: false };
    try {
      await ProcedureLease.during(
        run,
        "completion of a slot move",
        (lease) => new SlotSteps(calls, lease).settle(),
        chooseLeaseSeconds(calls.system),
      );
      log("slots: an interrupted move has been completed or undone", "info");
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "SVC3330") throw error;
    }
  }
}

function listFulfilled<T>(results: readonly PromiseSettledResult<T>[]): T[] {
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** Returns whether an instance has rejected a request for lack of a key. */
function isForbidden(result: PromiseSettledResult<unknown>): boolean {
  if (result.status === "fulfilled" || !(result.reason instanceof SvcError)) return false;
  const { code, message } = result.reason;
  const isStarting = message.includes(SLOTS_UNKNOWN) || message.includes(STARTING);
  return code === "SVC3115" && !isStarting;
}

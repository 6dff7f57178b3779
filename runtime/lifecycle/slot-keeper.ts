// Looks after the slots of one instance without an operator: an instance with an empty data folder
// takes over the record of its group, a dispatcher the latest map, and a move that no run continues
// is completed or undone.

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

const FIRST_MS = 100;
const EVERY_MS = 2000;
/** Time without a run before a move is settled. */
const ABANDONED_MS = 3000;
/** While there is a move. */
const MOVING_MS = 500;
/** Instances that a dispatcher asks at once. */
const MAX_ASKED = 127;

interface KeeperParts {
  readonly slots: KeptSlots;
  readonly node: () => NodeState;
  /** Whether this instance changes its graphs now. */
  readonly leads: () => Promise<boolean>;
  readonly projectDir: string;
  readonly adminKey: string | null;
}

/** Looks after the slots of this process, while a service runs. */
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
  /** A dispatcher has looked at its back-ends. */
  #hasAsked = false;
  #seenMove = "";
  #seenSinceMs = 0;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#plan(FIRST_MS);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #plan(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look(ms), ms).unref();
  }

  async #look(ms: number): Promise<void> {
    try {
      await this.#act();
    } catch (error) {
      log(`slots: ${(error as Error).message}`, "debug");
    }
    const { slots } = this.#parts;
    const isMoving = slots.isKnown && slots.record.move !== null;
    this.#plan(Math.min(isMoving ? MOVING_MS : EVERY_MS, 2 * ms));
  }

  async #act(): Promise<void> {
    // Reading a large descriptor takes long, so only with something to do.
    const act = this.#next();
    if (act === null) return;
    const calls = this.#calls();
    if (calls !== null) await act(calls);
  }

  /** Returns what is to be done now, null: nothing. */
  #next(): ((calls: InstanceCalls) => Promise<void>) | null {
    const { slots } = this.#parts;
    if (!slots.isKnown) return (calls) => this.#adopt(calls);
    if (slots.isDispatcher && !this.#hasAsked) return (calls) => this.#catchUp(calls);
    return this.#isAbandoned() ? (calls) => this.#settle(calls) : null;
  }

  /** Returns null in an instance without a system. */
  #calls(): InstanceCalls | null {
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

  /** The data of this instance come from the leader of its group: so does its record. */
  async #adopt(calls: InstanceCalls): Promise<void> {
    const { slots, leads, node, adminKey } = this.#parts;
    if (await leads()) return slots.storeInitial();
    const { system } = calls;
    const instances = new SlotInstances(calls, null);
    const members = listMembers(system).filter((id) => findGroup(system, id) === slots.own);
    const others = members.filter((id) => id !== node().id);
    const asked = await Promise.allSettled(others.map((id) => instances.readState(id)));
    const leader = listFulfilled(asked).find((one) => one.leads);
    if (leader !== undefined && !slots.isKnown) return slots.adopt(leader.record);
    if (adminKey !== null || !asked.some(isForbidden)) return;
    log("slots: no operator key, so that the map of the descriptor is used", "warn");
    slots.storeInitial();
  }

  /** Moves may have ended while this dispatcher was away. */
  async #catchUp(calls: InstanceCalls): Promise<void> {
    const { slots, node } = this.#parts;
    const { matrices } = calls.system;
    const below = matrices.get(node().id ?? "")?.partitions.map(([first]) => first!) ?? [];
    const instances = new SlotInstances(calls, null);
    const looks = below.slice(0, MAX_ASKED).map((id) => instances.readState(id));
    const found = listFulfilled(await Promise.allSettled(looks));
    this.#hasAsked = found.length > 0;
    const latest = latestRecord(found.map(({ record }) => record));
    // All were restored to an earlier time, or none has an earlier map.
    const isOlder = latest !== null && latest.version < slots.record.version;
    if (latest === null || (isOlder && found.length < below.length)) return;
    slots.change({ do: "install", record: { ...latest, move: null } });
  }

  /** Returns whether no run has continued a move of this instance for some time. */
  #isAbandoned(): boolean {
    const { move } = this.#parts.slots.record;
    const { lease } = this.#parts.node();
    const seen = move === null || lease !== null ? "" : `${move.id} ${move.isGiven}`;
    if (seen !== this.#seenMove) this.#seenSinceMs = performance.now();
    this.#seenMove = seen;
    return seen !== "" && performance.now() - this.#seenSinceMs >= ABANDONED_MS;
  }

  async #settle(calls: InstanceCalls): Promise<void> {
    // Every instance with the move asks all others: not again at once.
    this.#seenSinceMs = performance.now();
    // Without all of them nothing can be decided, and the lease would keep operators waiting.
    const instances = new SlotInstances(calls, null);
    const found = await Promise.all(
      listMembers(calls.system).map((id) => instances.waitForState(id)),
    );
    // A run has not come back to this instance since its restart.
    if (found.some(({ isRun }) => isRun)) return;
    const run = { ...calls, isForced: false };
    try {
      await ProcedureLease.during(
        run,
        "completion of a move of slots",
        (lease) => new SlotSteps(calls, lease).settle(),
        chooseLeaseSeconds(calls.system),
      );
      log("slots: an interrupted move has been completed or undone", "info");
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "SVC3330") throw error;
    }
  }
}

function listFulfilled<T>(all: readonly PromiseSettledResult<T>[]): T[] {
  return all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

/** Returns whether an instance has refused a request without a key. */
function isForbidden(asked: PromiseSettledResult<unknown>): boolean {
  if (asked.status === "fulfilled" || !(asked.reason instanceof SvcError)) return false;
  const { code, message } = asked.reason;
  const isStarting = message.includes(SLOTS_UNKNOWN) || message.includes(STARTING);
  return code === "SVC3115" && !isStarting;
}

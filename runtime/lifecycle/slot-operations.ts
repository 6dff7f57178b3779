// Admin operation of slot moves: executes one command at a time of the coordinator. Commands with
// side effects require the lease, so that a preempted coordinator cannot change anything.

import { statfs } from "node:fs/promises";
import { freemem } from "node:os";
import { isSlotMove, isSlotRecord, type KeptSlots } from "../base/kept-slots.js";
import { MAX_SLOTS } from "../base/limits.js";
import { isPlainObject } from "../base/plain-object.js";
import type { SlotCommand, SlotMove } from "../base/slot-record.js";
import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { GraphDigests } from "../system/slot-moves/graph-digests.js";
import { SLOTS_UNKNOWN } from "../system/slot-moves/slot-instances.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import type { Parts } from "./operation.js";
import { SlotShare } from "./slot-share.js";

const MAX_DRAIN_MS = 10_000;
const MAX_WORDS = 2 ** 24;
/** Maximum size of a slot's content. */
const MAX_BYTES = 2 ** 28;

const shares = new WeakMap<KeptSlots, SlotShare>();

type Command = Readonly<Record<string, unknown>>;

/** @throws Error, SvcError SVC3413 */
export async function moveSlots(parts: Parts, { content, lease }: ControlArguments) {
  const { service, graphs } = parts;
  const { slots } = graphs;
  if (slots === null) throw new Error("the system has no slots");
  const command: unknown = JSON.parse(String(content));
  if (!isPlainObject(command)) throw new Error("a command is required");
  const share = findShare(graphs, slots);
  if (command.do === "look") return readState(parts, slots, share, String(lease));
  if (command.do === "count") return { graphs: await share.count() };
  if (!service.lease.isHeldBy(String(lease))) throw new Error("lease lost on this instance");
  return service.lease.during(() => execute(parts, slots, share, command));
}

/** Executes a command of the run that holds the lease. */
async function execute(
  { service }: Parts,
  slots: KeptSlots,
  share: SlotShare,
  command: Command,
): Promise<object> {
  switch (command.do) {
    case "hold-requests": {
      const drainMs = Math.min(MAX_DRAIN_MS, Math.max(0, Number(command.drainMs) || 0));
      const [held, withQueries] = [readSlots(command.slots), command.withQueries !== false];
      const hold = { slots: held, withQueries, drainMs };
      return { running: await service.holdRequests(hold) };
    }
    case "release-requests": {
      const { record } = command;
      const installed = record === undefined ? null : readCommand({ do: "install", record }, slots);
      const makeDurable = installed === null ? null : slots.announce(installed);
      await service.releaseRequests();
      makeDurable?.();
      return {};
    }
    case "tell": {
      const record = slots.change(readCommand(command.command, slots));
      await share.settle();
      return { record, ...(await share.leadership()) };
    }
    case "encode": {
      await share.requireTerm(readTerm(command));
      const maxWords = readNumber(command.maxWords, MAX_WORDS);
      // Encoding waits for the changes that began before `hold`.
      if (command.move !== undefined) {
        slots.change(readCommand({ do: "hold", move: command.move }, slots));
      }
      const encoded = await share.encode(readSlots(command.slots), maxWords);
      return { ...encoded, record: slots.record };
    }
    case "encode-anchors":
      await share.requireTerm(readTerm(command));
      return share.encodeAnchors();
    case "read":
      return { data: share.read(readList(command.wanted).map(readPosition)) };
    case "stage":
      return share.stage(
        String(command.id),
        readList(command.chunks).map((chunk) => readStaged(chunk, command.names)),
      );
    case "await":
      if (!isPlainObject(command.digests)) throw createInvalidCommandError();
      return share.waitForDigests(command.digests as GraphDigests);
    case "prepare":
      await share.requireTerm(readTerm(command));
      return { record: share.prepare(readMove(command.move, slots)) };
    case "write":
      await share.requireTerm(readTerm(command));
      return share.write(readMove(command.move, slots));
    case "clear-out":
      await share.requireTerm(readTerm(command));
      return share.clearOut(String(command.id));
    case "remove": {
      await share.requireTerm(readTerm(command));
      const last = command.last === undefined ? null : readCommand(command.last, slots);
      const removed = await share.remove(String(command.id));
      if (last !== null) slots.change(last);
      return { ...removed, record: slots.record, ...(await share.leadership()) };
    }
    default:
      throw new Error(`unknown command ${String(command.do).slice(0, 100)}`);
  }
}

/** Returns the slot contents of this process, created with the first call. */
export function findShare(graphs: GraphSupervisor, slots: KeptSlots): SlotShare {
  const share = shares.get(slots) ?? new SlotShare(graphs, slots);
  shares.set(slots, share);
  return share;
}

async function readState(
  { service }: Parts,
  slots: KeptSlots,
  share: SlotShare,
  lease: string,
): Promise<object> {
  if (!slots.isKnown) throw new Error(SLOTS_UNKNOWN);
  const { root, durability } = service.settings;
  const disk = await statfs(root).catch(() => null);
  return {
    record: slots.record,
    own: slots.own,
    build: service.node.build,
    ...(await share.leadership()),
    digests: await share.digests(),
    isOwn: service.lease.isHeldBy(lease),
    isRun: service.node.lease !== null,
    isDurable: durability !== "off",
    freeMemory: freemem(),
    freeDisk: disk === null ? null : disk.bavail * disk.bsize,
    usedBytes: await share.usedBytes(),
  };
}

function readMove(value: unknown, { record }: KeptSlots): SlotMove {
  if (!isSlotMove(value, record.map.count)) throw createInvalidCommandError();
  return value;
}

function readCommand(command: unknown, slots: KeptSlots): SlotCommand {
  if (!isPlainObject(command)) throw createInvalidCommandError();
  const { count } = slots.record.map;
  switch (command.do) {
    case "hold":
      return { do: "hold", move: readMove(command.move, slots) };
    case "install":
      if (!isSlotRecord(command.record) || command.record.map.count !== count)
        throw createInvalidCommandError();
      return { do: "install", record: command.record };
    case "give":
    case "take":
    case "clear":
    case "abort":
      return { do: command.do, id: String(command.id) };
    default:
      throw createInvalidCommandError();
  }
}

const createInvalidCommandError = (): Error => new Error("invalid command of a slot move");

function readPosition({ graph, slot, offset }: Command) {
  return { graph: String(graph), slot: readSlot(slot), offset: readNumber(offset, MAX_BYTES) };
}

/** @param names by graph */
function readStaged(chunk: Command, names: unknown) {
  const { length, data } = chunk;
  if (typeof data !== "string") throw new Error("data is required");
  const position = readPosition(chunk);
  const graphNames =
    isPlainObject(names) && Object.hasOwn(names, position.graph) ? names[position.graph] : null;
  return {
    ...position,
    length: readNumber(length, MAX_BYTES),
    bytes: Buffer.from(data, "base64"),
    names: Array.isArray(graphNames) ? graphNames : [],
  };
}

function readList(value: unknown): Command[] {
  const isList = Array.isArray(value) && value.length <= MAX_SLOTS && value.every(isPlainObject);
  if (!isList) throw new Error("a list is required");
  return value;
}

function readSlots(value: unknown): number[] {
  if (!Array.isArray(value) || value.length > MAX_SLOTS) throw new Error("slots are required");
  return value.map(readSlot);
}

const readSlot = (value: unknown): number => readNumber(value, MAX_SLOTS);

const readTerm = ({ term }: Command): number => readNumber(term, Number.MAX_SAFE_INTEGER);

function readNumber(value: unknown, max: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max) {
    return value;
  }
  throw new Error(`a number from 0 to ${max} is required`);
}

// Slots that move between groups, in one process and random order: clients, dispatchers,
// coordinators and faults take turns after each step. The records and the coordinator's decisions
// are those of the product. Checks each response, and everything after the last fault.

import * as assert from "uvu/assert";
import {
  isLeading,
  nextSlotStep,
  type SlotAttempt,
  type SlotLeader,
  type SlotStep,
} from "../../../../runtime/base/next-slot-step.js";
import { planSlotMoves } from "../../../../runtime/base/plan-slot-moves.js";
import { divideSlots } from "../../../../runtime/base/slot-map.js";
import {
  changeSlots,
  listMoved,
  type SlotCommand,
  type SlotMove,
  type SlotRecord,
} from "../../../../runtime/base/slot-record.js";
import { Random } from "../random.js";
import { interleave, type Task } from "./interleave.js";
import { type Guard, Lost, SimulatedClients, type SimulatedWorld } from "./simulated-clients.js";
import { type Dispatcher, isHeld, keySlot, SLOTS } from "./simulated-dispatcher.js";
import { checkEnd, checkOwners } from "./simulated-end.js";
import {
  type Content,
  copyContent,
  crash,
  type Member,
  SimulatedGroup,
} from "./simulated-group.js";

const FAULTY_STEPS = 1500;
const CALM_STEPS = 4000;
/** A member has no lease: the coordinator has it now, and looks again. */
class Regained extends Error {}

export interface MoveOutcome {
  readonly cuts: number;
  readonly responses: number;
  readonly changes: number;
}

/** Runs one seed. @throws AssertionError */
export function simulateMoves(seed: number, without: Guard | null = null): MoveOutcome {
  return new Simulation(seed, without).run();
}

class Simulation implements SimulatedWorld {
  readonly random: Random;
  readonly without: Guard | null;
  readonly groups = new Map<string, SimulatedGroup>();
  readonly members: Member[] = [];
  readonly dispatchers: Dispatcher[];
  readonly #kept: string[];
  readonly #first: SlotRecord;
  #tasks: Task[] = [];
  readonly #coordinating = new Set<Task>();
  #coordinators = 0;
  #isCalm = false;
  readonly #clients: SimulatedClients;
  step = 0;
  #serial = 0;
  #cuts = 0;

  constructor(seed: number, without: Guard | null) {
    this.random = new Random(seed);
    for (let n = 0; n < 10; n++) this.random.below(2);
    this.without = without;
    const count = 2 + this.random.below(3);
    const groups = Array.from({ length: count }, (_, n) => `B${n + 1}`);
    const first = groups.slice(0, 1 + this.random.below(count));
    const map = divideSlots(SLOTS, first.length);
    const record: SlotRecord = { version: 0, map, groups, move: null };
    this.#kept = this.random.below(2) === 0 ? groups : groups.slice(0, count - 1);
    this.#first = record;
    for (const name of groups) {
      const members = Array.from({ length: 1 + this.random.below(3) }, (_, n): Member => {
        const id = n === 0 ? name : `${name}.${n}`;
        const content: Content = new Map();
        const more = { lease: 0, content, term: 1, leads: n === 0, isKnown: true, starts: 0 };
        const changes = { touched: new Map<number, number>(), absent: null, removed: new Map() };
        return { id, group: name, record, isUp: true, ...changes, ...more };
      });
      this.members.push(...members);
      this.groups.set(name, new SimulatedGroup(name, members, without !== "adopted"));
    }
    this.dispatchers = [0, 1].map(() => ({ record, held: null, running: new Set() }));
    this.#clients = new SimulatedClients(this);
  }

  run(): MoveOutcome {
    for (let step = 0; step < FAULTY_STEPS; step++) {
      if (this.random.below(40) === 0) this.#fault();
      if (this.#tasks.length < 6) this.#begin();
      this.#advance();
    }
    this.#isCalm = true;
    for (const member of this.members) this.#start(member);
    for (const dispatcher of this.dispatchers) dispatcher.held = null;
    for (const group of this.groups.values()) {
      group.elect(this.random);
      for (const member of group.members) group.follow(member);
    }
    this.#tasks = this.#tasks.filter((task) => !this.#coordinating.has(task));
    const last = this.#coordinate();
    this.#tasks.push(last);
    for (let step = 0; step < CALM_STEPS && this.#tasks.includes(last); step++) {
      if (this.#tasks.length < 6) this.#begin();
      this.#advance();
    }
    assert.not.ok(this.#tasks.includes(last), "the last coordinator ends");
    while (this.#tasks.length > 0) this.#advance();
    checkEnd(this.members, [...this.groups.values()], this.#kept, this.#clients.acknowledged);
    const { responses, changes } = this.#clients;
    return { cuts: this.#cuts, responses, changes };
  }

  #advance(): void {
    if (this.#tasks.length === 0) return;
    this.step++;
    const task = this.random.of(this.#tasks);
    let isOver = true;
    try {
      isOver = task.next().done === true;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
    if (isOver) this.#tasks = this.#tasks.filter((candidate) => candidate !== task);
    checkOwners([...this.members, ...this.dispatchers]);
  }

  #begin(): void {
    const kind = this.random.below(10);
    if (kind < 5) this.#tasks.push(this.#clients.change());
    else if (kind < 8) this.#tasks.push(this.#clients.query());
    else if (kind < 9) this.#tasks.push(this.#clients.keyedQuery());
    else if (!this.#isCalm) {
      const task = this.#coordinate();
      this.#coordinating.add(task);
      this.#tasks.push(task);
    }
  }

  #fault(): void {
    const member = this.random.of(this.members);
    const group = this.groups.get(member.group)!;
    switch (this.random.below(8)) {
      case 0:
        return crash(member, this.random, this.without !== "restart");
      case 1:
        return this.#start(member);
      case 2:
        return group.elect(this.random);
      case 3: {
        // A dispatcher starts again with the map that it has kept, and holds nothing.
        const dispatcher = this.random.of(this.dispatchers);
        dispatcher.held = null;
        return;
      }
      case 4:
        return group.follow(member);
      case 5:
        return group.empty(member, this.#first);
      case 6:
        // The coordinator has stood still: its lease has expired.
        member.lease = 0;
        return;
      default:
        // A killed coordinator; half of them only stand still for long, and go on later.
        this.#tasks = this.#tasks.filter(() => this.random.below(3) > 0);
        for (const dispatcher of this.dispatchers) {
          dispatcher.running.clear();
          if (this.random.below(2) === 0) dispatcher.held = null;
        }
    }
  }

  #start(member: Member): void {
    if (member.isUp) return;
    member.isUp = true;
    member.starts++;
    member.lease = 0;
    const group = this.groups.get(member.group)!;
    if (group.members.length === 1 && this.random.below(2) === 0) group.elect(this.random);
  }

  #confirm(leader: Member): boolean {
    return this.groups.get(leader.group)!.confirm(leader, this.random);
  }

  #memberOf(id: string): Member {
    const target = this.members.find((member) => member.id === id)!;
    if (!target.isUp) throw new Lost();
    return target;
  }

  /** Returns a leader, which refuses commands for other terms. */
  #inTerm({ id, term }: SlotLeader): Member {
    const member = this.#memberOf(id);
    const leads = this.without === "latest term" ? member.leads : isLeading(member, term);
    if (!leads) throw new Lost();
    return member;
  }

  // The coordinator

  *#coordinate(): Task {
    const number = ++this.#coordinators;
    let attempt: SlotAttempt | null = null;
    let copied: Content = new Map();
    const held: Dispatcher[] = [];
    try {
      for (const member of this.members) {
        if (!member.isUp) return;
        member.lease = number;
        yield;
      }
      for (;;) {
        yield;
        const members = this.#look(number);
        if (members === null) return;
        if (members === "again") continue;
        const step = nextSlotStep(members, attempt);
        if (step.do === "wait" || step.do === "lost") return;
        // Commands that were decided before are late.
        for (let n = this.random.below(4); n > 0; n--) yield;
        if (step.do === "done") {
          this.#install(members[0]!.record);
          for (const dispatcher of held.splice(0)) dispatcher.held = null;
          const move = this.#choose(members[0]!.record);
          attempt = null;
          if (move === null) return;
          held.push(...this.dispatchers);
          const isDrained = yield* this.#hold(move, false);
          attempt = isDrained ? { move, isCopied: false, isApplied: false } : null;
          copied = new Map();
          continue;
        }
        // The source forgets the move once requests go on.
        const isLast = attempt !== null && step.do === "remove" && step.last?.do === "clear";
        try {
          if (step.do === "copy") copied = yield* this.#copy(step, number);
          else if (step.do === "apply") yield* this.#write(step, copied, number);
          else yield* this.#execute(step, number, isLast);
          if (isLast) {
            attempt = null;
            this.#install(this.#memberOf(step.at.id).record);
            for (const dispatcher of held.splice(0)) dispatcher.held = null;
          } else if (step.do === "copy" && !(yield* this.#hold(step.move, true))) attempt = null;
          else if (step.do === "copy" || step.do === "apply") {
            attempt = { move: step.move, isCopied: true, isApplied: step.do === "apply" };
          }
        } catch (error) {
          if (!(error instanceof Regained)) throw error;
        }
      }
    } finally {
      for (const member of this.members) if (member.lease === number) member.lease = 0;
      for (const dispatcher of held) dispatcher.held = null;
    }
  }

  /** Lets requests wait; returns false if some run for too long. */
  *#hold({ slots }: SlotMove, withQueries: boolean): Generator<undefined, boolean, undefined> {
    for (const dispatcher of this.dispatchers) {
      dispatcher.held = { slots, withQueries };
      const isBusy = () => [...dispatcher.running].some((request) => isHeld(dispatcher, request));
      for (let n = 0; isBusy() && n < 50; n++) yield;
      if (isBusy()) return false;
    }
    return true;
  }

  *#execute(
    step: Extract<SlotStep, { do: "tell" | "remove" }>,
    number: number,
    isLast: boolean,
  ): Task {
    if (step.do === "tell") return yield* this.#tell(step.to, step.command, number);
    const { meanwhile, afterwards } = step;
    const responses = meanwhile.map(({ to, command }) => this.#tell(to, command, number));
    const removal = isLast ? this.#clearOut(step, number) : this.#removeAt(step, number);
    yield* interleave([removal, ...responses], this.random);
    if (afterwards !== null) yield* this.#tell(afterwards.to, afterwards.command, number);
  }

  *#clearOut({ at, move }: Extract<SlotStep, { do: "remove" }>, number: number): Task {
    const member = this.#remove(at, move, number);
    member.absent = move.id;
    yield;
  }

  *#removeAt({ at, move, last }: Extract<SlotStep, { do: "remove" }>, number: number): Task {
    const member = this.#remove(at, move, number);
    if (this.without !== "flushed") member.removed = new Map();
    yield;
    if (last !== null) yield* this.#tell([at.id], last, number);
  }

  #look(number: number) {
    const isAll = this.without !== "all members";
    const upMembers = this.members.filter(({ isUp }) => isUp);
    if (upMembers.length === 0 || (isAll && upMembers.length < this.members.length)) return null;
    if (upMembers.some((member) => !member.isKnown)) return null;
    const others = upMembers.filter((member) => !this.#hasLease(member, number));
    for (const member of others) this.#regain(member, number);
    if (others.length > 0) return "again";
    return upMembers.map(({ id, group, record, leads, term }) => {
      return { id, group, record, leads, term: this.without === "latest term" ? 0 : term };
    });
  }

  #hasLease({ lease }: Member, number: number): boolean {
    return lease === number || this.without === "lease";
  }

  #regain(member: Member, number: number): void {
    if (member.lease !== 0) throw new Lost();
    member.lease = number;
  }

  #requireLease(member: Member, number: number): void {
    if (this.#hasLease(member, number)) return;
    this.#regain(member, number);
    throw new Regained();
  }

  #choose(record: SlotRecord): SlotMove | null {
    const planned = planSlotMoves(record.map, record.groups, this.#kept)[0];
    if (planned === undefined) return null;
    const id = `move ${this.#serial++}`;
    const slots = planned.slots.slice(0, 1 + this.random.below(4));
    return { ...planned, id, version: record.version + 1, slots };
  }

  *#tell(to: readonly string[], command: SlotCommand, number: number): Task {
    const targets = this.without === "abort first" && command.do === "abort" ? [] : to;
    for (const id of targets) {
      const member = this.#memberOf(id);
      this.#requireLease(member, number);
      try {
        const next = changeSlots(member.record, member.group, command);
        for (const slot of listMoved(member.record, next)) member.touched.set(slot, this.step);
        member.record = next;
      } catch {
        throw new Lost();
      }
      if (command.do === "take") this.#cuts++;
      yield;
    }
    if (targets !== to)
      for (const member of this.members) member.record = { ...member.record, move: null };
  }

  /** The content does not change any more. */
  *#copy({ move, from, to }: CopyStep, number: number): Generator<undefined, Content, undefined> {
    const held = this.#tell([from.id], { do: "hold", move }, number);
    yield* interleave([held, this.#prepare(move, to, number)], this.random);
    return copyContent(this.#inTerm(from).content);
  }

  /** A target of one member holds the move before its content is written. */
  *#prepare(move: SlotMove, to: SlotLeader, number: number): Task {
    const member = this.#inTerm(to);
    if (this.groups.get(member.group)!.members.length > 1) return;
    this.#requireLease(member, number);
    if (member.record.move?.id !== move.id) member.absent = move.id;
    yield* this.#tell([member.id], { do: "hold", move }, number);
  }

  *#write({ move, to }: CopyStep, copied: Content, number: number): Task {
    yield;
    const member = this.#inTerm(to);
    if (this.without !== "written") member.absent = null;
    yield* this.#tell([member.id], { do: "hold", move }, number);
    for (const [key, changes] of copied) {
      if (!move.slots.includes(keySlot(key))) continue;
      // No other run gets the lease of a target before the end of its write.
      this.#requireLease(member, number);
      this.#inTerm(to).content.set(key, new Set(changes));
      yield;
      if (this.without === "verify" && this.random.below(4) === 0) return;
    }
    if (!this.#confirm(this.#inTerm(to)) && this.without !== "confirmed") throw new Lost();
  }

  #remove(leader: SlotLeader, { id, slots }: SlotMove, number: number): Member {
    const member = this.#inTerm(leader);
    this.#requireLease(member, number);
    if (member.record.move?.id !== id) throw new Lost();
    const isTarget = member.record.move.to === member.group;
    if (this.without === (isTarget ? "drop" : "removal")) return member;
    for (const [key, changes] of member.content) {
      if (!slots.includes(keySlot(key))) continue;
      member.content.delete(key);
      member.removed.set(key, changes);
    }
    if (!this.#confirm(member)) throw new Lost();
    return member;
  }

  #install(record: SlotRecord): void {
    for (const dispatcher of this.dispatchers) {
      if (dispatcher.record.version >= record.version) continue;
      dispatcher.record = changeSlots(dispatcher.record, null, { do: "install", record });
    }
  }
}

type CopyStep = Extract<SlotStep, { do: "copy" | "apply" }>;

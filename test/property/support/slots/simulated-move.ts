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
import { divideSlots, SlotMap } from "../../../../runtime/base/slot-map.js";
import {
  changeSlots,
  type SlotCommand,
  type SlotMove,
  type SlotRecord,
} from "../../../../runtime/base/slot-record.js";
import { Random } from "../random.js";
import { type Content, copyOf, type Member, SimulatedGroup } from "./simulated-group.js";

/** Part of the protocol that is left out, to see that it is needed. */
export type Guard =
  | ("hold" | "owner" | "map of answers" | "abort first" | "drop" | "verify")
  | ("lease" | "all members" | "removal" | "settled")
  | ("latest term" | "confirmed" | "adopted");

const SLOTS = 16;
const KEYS = 24;
const FAULTY_STEPS = 1500;
const CALM_STEPS = 4000;
/** A command or request got no response. */
class Lost extends Error {}
/** A member has no lease: the coordinator has it now, and looks again. */
class Regained extends Error {}

type Task = Generator<undefined, void, undefined>;

interface Dispatcher {
  record: SlotRecord;
  isHeld: boolean;
  running: number;
}

export interface MoveOutcome {
  readonly cuts: number;
  readonly answers: number;
  readonly changes: number;
}

/** Runs one seed. @throws AssertionError */
export function simulateMoves(seed: number, without: Guard | null = null): MoveOutcome {
  return new Simulation(seed, without).run();
}

class Simulation {
  readonly #random: Random;
  readonly #without: Guard | null;
  readonly #groups = new Map<string, SimulatedGroup>();
  readonly #members: Member[] = [];
  readonly #dispatchers: Dispatcher[];
  readonly #acknowledged = new Map<number, Set<number>>();
  readonly #kept: string[];
  readonly #first: SlotRecord;
  #tasks: Task[] = [];
  readonly #coordinating = new Set<Task>();
  #coordinators = 0;
  #isCalm = false;
  #serial = 0;
  #cuts = 0;
  #answers = 0;
  #changes = 0;

  constructor(seed: number, without: Guard | null) {
    this.#random = new Random(seed);
    for (let n = 0; n < 10; n++) this.#random.below(2);
    this.#without = without;
    const count = 2 + this.#random.below(3);
    const groups = Array.from({ length: count }, (_, n) => `B${n + 1}`);
    const first = groups.slice(0, 1 + this.#random.below(count));
    const map = divideSlots(SLOTS, first.length);
    const record: SlotRecord = { version: 0, map, groups, move: null };
    this.#kept = this.#random.below(2) === 0 ? groups : groups.slice(0, count - 1);
    this.#first = record;
    for (const name of groups) {
      const members = Array.from({ length: 1 + this.#random.below(3) }, (_, n): Member => {
        const id = n === 0 ? name : `${name}.${n}`;
        const content: Content = new Map();
        const more = { lease: 0, content, term: 1, leads: n === 0, isKnown: true };
        return { id, group: name, record, isUp: true, ...more };
      });
      this.#members.push(...members);
      this.#groups.set(name, new SimulatedGroup(name, members, without !== "adopted"));
    }
    this.#dispatchers = [0, 1].map(() => ({ record, isHeld: false, running: 0 }));
  }

  run(): MoveOutcome {
    for (let step = 0; step < FAULTY_STEPS; step++) {
      if (this.#random.below(40) === 0) this.#fault();
      if (this.#tasks.length < 6) this.#begin();
      this.#advance();
    }
    this.#isCalm = true;
    for (const member of this.#members) this.#start(member);
    for (const dispatcher of this.#dispatchers) dispatcher.isHeld = false;
    for (const group of this.#groups.values()) {
      group.elect(this.#random);
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
    this.#checkEnd();
    return { cuts: this.#cuts, answers: this.#answers, changes: this.#changes };
  }

  #advance(): void {
    if (this.#tasks.length === 0) return;
    const task = this.#random.of(this.#tasks);
    let isOver = true;
    try {
      isOver = task.next().done === true;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
    if (isOver) this.#tasks = this.#tasks.filter((other) => other !== task);
    this.#checkOwners();
  }

  #begin(): void {
    const kind = this.#random.below(10);
    if (kind < 5) this.#tasks.push(this.#change());
    else if (kind < 9) this.#tasks.push(this.#query());
    else if (!this.#isCalm) {
      const task = this.#coordinate();
      this.#coordinating.add(task);
      this.#tasks.push(task);
    }
  }

  #fault(): void {
    const member = this.#random.of(this.#members);
    const group = this.#groups.get(member.group)!;
    switch (this.#random.below(8)) {
      case 0:
        member.isUp = false;
        member.leads = false;
        return;
      case 1:
        return this.#start(member);
      case 2:
        return group.elect(this.#random);
      case 3: {
        // A dispatcher starts again with the map that it has kept, and holds nothing.
        const dispatcher = this.#random.of(this.#dispatchers);
        dispatcher.isHeld = false;
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
        this.#tasks = this.#tasks.filter(() => this.#random.below(3) > 0);
        for (const dispatcher of this.#dispatchers) {
          dispatcher.running = 0;
          if (this.#random.below(2) === 0) dispatcher.isHeld = false;
        }
    }
  }

  #start(member: Member): void {
    if (member.isUp) return;
    member.isUp = true;
    member.lease = 0;
    const group = this.#groups.get(member.group)!;
    if (group.members.length === 1 && this.#random.below(2) === 0) group.elect(this.#random);
  }

  #confirm(leader: Member): boolean {
    return this.#groups.get(leader.group)!.confirm(leader, this.#random);
  }

  #memberOf(id: string): Member {
    const found = this.#members.find((member) => member.id === id)!;
    if (!found.isUp) throw new Lost();
    return found;
  }

  /** Returns a member that believes to lead. */
  #leaderOf(group: string): Member {
    const all = this.#groups.get(group)!.members.filter(({ isUp, leads }) => isUp && leads);
    if (all.length === 0) throw new Lost();
    return this.#random.of(all);
  }

  /** Returns a leader, which refuses commands for other terms. */
  #inTerm({ id, term }: SlotLeader): Member {
    const found = this.#memberOf(id);
    const leads = this.#without === "latest term" ? found.leads : isLeading(found, term);
    if (!leads) throw new Lost();
    return found;
  }

  // Clients

  *#change(): Task {
    const key = this.#random.below(KEYS);
    const serial = this.#serial++;
    const dispatcher = this.#random.below(4) === 0 ? null : this.#random.of(this.#dispatchers);
    while (dispatcher?.isHeld) yield;
    if (dispatcher !== null) dispatcher.running++;
    try {
      const { record } = dispatcher ?? this.#random.of(this.#members);
      const group = record.groups[ownerOf(record, key)]!;
      yield;
      const leader = this.#leaderOf(group);
      if (!this.#apply(leader, key, serial)) return;
      if (this.#random.below(2) === 0) yield;
      if (!this.#confirm(leader)) return;
      this.#acknowledge(key, serial);
      yield;
    } finally {
      if (dispatcher !== null) dispatcher.running = Math.max(0, dispatcher.running - 1);
    }
  }

  /** Returns false for a change that is refused. */
  #apply({ group, record, content }: Member, key: number, serial: number): boolean {
    const isHeld = record.move?.slots.includes(slotOf(key)) === true;
    if (isHeld && this.#without !== "hold") return false;
    const owner = record.groups[ownerOf(record, key)];
    if (owner !== group && this.#without !== "owner") return false;
    content.set(key, new Set([...(content.get(key) ?? []), serial]));
    this.#changes++;
    return true;
  }

  #acknowledge(key: number, serial: number): void {
    const known = this.#acknowledged.get(key) ?? new Set();
    this.#acknowledged.set(key, known.add(serial));
  }

  *#query(): Task {
    const dispatcher = this.#random.of(this.#dispatchers);
    while (dispatcher.isHeld) yield;
    dispatcher.running++;
    try {
      const before = new Map([...this.#acknowledged].map(([key, set]) => [key, new Set(set)]));
      const { record } = dispatcher;
      const parts: { readonly content: Content; readonly version: number }[] = [];
      for (const group of this.#groups.values()) {
        yield;
        // A former leader may respond with what was before, for as long as its lease lasts.
        const up = group.members.filter((member) => member.isUp && member.term === group.term);
        const [one] = up.filter((member) => group.synced.has(member));
        if (one === undefined) return;
        const { record: own, content } = one;
        const isSettled = own.move === null || this.#without === "settled";
        parts.push({ content: copyOf(content), version: isSettled ? own.version : -1 });
      }
      yield;
      const isOne = parts.every(({ version }) => version === record.version);
      if (!isOne && this.#without !== "map of answers") return;
      this.#checkAnswer(before, parts);
    } finally {
      dispatcher.running = Math.max(0, dispatcher.running - 1);
    }
  }

  #checkAnswer(before: Content, parts: readonly { readonly content: Content }[]): void {
    this.#answers++;
    for (let key = 0; key < KEYS; key++) {
      const found = parts.filter(({ content }) => content.has(key));
      assert.ok(found.length <= 1, `key ${key} is twice in an answer`);
      for (const serial of before.get(key) ?? []) {
        assert.ok(found[0]?.content.get(key)?.has(serial), `an answer lacks ${serial} of ${key}`);
      }
    }
  }

  // The coordinator

  *#coordinate(): Task {
    const number = ++this.#coordinators;
    let attempt: SlotAttempt | null = null;
    const held: Dispatcher[] = [];
    try {
      for (const member of this.#members) {
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
        for (let n = this.#random.below(4); n > 0; n--) yield;
        if (step.do === "done") {
          this.#install(members[0]!.record);
          for (const dispatcher of held.splice(0)) dispatcher.isHeld = false;
          const move = this.#choose(members[0]!.record);
          attempt = null;
          if (move === null) return;
          let isDrained = true;
          for (const dispatcher of this.#dispatchers) {
            dispatcher.isHeld = true;
            held.push(dispatcher);
            for (let n = 0; dispatcher.running > 0 && n < 50; n++) yield;
            isDrained &&= dispatcher.running === 0;
          }
          attempt = isDrained ? { move, isApplied: false } : null;
          continue;
        }
        try {
          yield* this.#execute(step, number);
          if (step.do === "apply") attempt = { move: step.move, isApplied: true };
        } catch (error) {
          if (!(error instanceof Regained)) throw error;
        }
      }
    } finally {
      for (const member of this.#members) if (member.lease === number) member.lease = 0;
      for (const dispatcher of held) dispatcher.isHeld = false;
    }
  }

  *#execute(step: Extract<SlotStep, { do: "tell" | "apply" | "remove" }>, number: number): Task {
    if (step.do === "tell") return yield* this.#tell(step.to, step.command, number);
    if (step.do === "apply") return yield* this.#copy(step, number);
    this.#remove(step.at, step.move, number);
    yield;
    yield* this.#tell(step.then.to, step.then.command, number);
  }

  #look(number: number) {
    const isAll = this.#without !== "all members";
    const seen = this.#members.filter(({ isUp }) => isUp);
    if (seen.length === 0 || (isAll && seen.length < this.#members.length)) return null;
    if (seen.some((member) => !member.isKnown)) return null;
    const others = seen.filter((member) => !this.#hasLease(member, number));
    for (const member of others) this.#regain(member, number);
    if (others.length > 0) return "again";
    return seen.map(({ id, group, record, leads, term }) => {
      return { id, group, record, leads, term: this.#without === "latest term" ? 0 : term };
    });
  }

  #hasLease({ lease }: Member, number: number): boolean {
    return lease === number || this.#without === "lease";
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
    const slots = planned.slots.slice(0, 1 + this.#random.below(4));
    return { ...planned, id, version: record.version + 1, slots };
  }

  *#tell(to: readonly string[], command: SlotCommand, number: number): Task {
    const told = this.#without === "abort first" && command.do === "abort" ? [] : to;
    for (const id of told) {
      const member = this.#memberOf(id);
      this.#requireLease(member, number);
      try {
        member.record = changeSlots(member.record, member.group, command);
      } catch {
        throw new Lost();
      }
      if (command.do === "take") this.#cuts++;
      yield;
    }
    if (told !== to)
      for (const member of this.#members) member.record = { ...member.record, move: null };
  }

  *#copy({ move, from, to }: ApplyStep, number: number): Task {
    const source = copyOf(this.#inTerm(from).content);
    yield;
    const target = this.#inTerm(to);
    this.#requireLease(target, number);
    if (target.record.move?.id !== move.id) throw new Lost();
    for (const [key, changes] of source) {
      if (!move.slots.includes(slotOf(key))) continue;
      this.#inTerm(to).content.set(key, new Set(changes));
      yield;
      if (this.#without === "verify" && this.#random.below(4) === 0) return;
    }
    if (!this.#confirm(target) && this.#without !== "confirmed") throw new Lost();
  }

  #remove(at: SlotLeader, { id, slots }: SlotMove, number: number): void {
    const member = this.#inTerm(at);
    this.#requireLease(member, number);
    if (member.record.move?.id !== id) throw new Lost();
    const isTarget = member.record.move.to === member.group;
    if (this.#without === (isTarget ? "drop" : "removal")) return;
    const { content } = member;
    for (const key of content.keys()) if (slots.includes(slotOf(key))) content.delete(key);
    if (!this.#confirm(member)) throw new Lost();
  }

  #install(record: SlotRecord): void {
    for (const dispatcher of this.#dispatchers) {
      if (dispatcher.record.version >= record.version) continue;
      dispatcher.record = changeSlots(dispatcher.record, null, { do: "install", record });
    }
  }

  // Invariants

  /** One owner per slot and version, in all records. */
  #checkOwners(): void {
    const maps = new Map<number, string>();
    for (const { record } of [...this.#members, ...this.#dispatchers]) {
      const text = JSON.stringify(record.map);
      const known = maps.get(record.version) ?? text;
      assert.is(text, known, `two maps of version ${record.version}`);
      maps.set(record.version, known);
    }
  }

  #checkEnd(): void {
    const { record } = this.#members[0]!;
    for (const { id, record: other } of this.#members) {
      assert.is(other.version, record.version, id);
      assert.is(other.move, null, id);
    }
    const shares = new Map<string, number>();
    for (let slot = 0; slot < SLOTS; slot++) {
      const owner = record.groups[new SlotMap(record.map).ownerOf(slot)]!;
      shares.set(owner, (shares.get(owner) ?? 0) + 1);
    }
    const counts = this.#kept.map((group) => shares.get(group) ?? 0);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, "equal shares");
    for (let key = 0; key < KEYS; key++) {
      const owner = record.groups[ownerOf(record, key)];
      for (const group of this.#groups.values()) {
        const content = group.leading!.content;
        if (group.name !== owner) {
          assert.not.ok(content.has(key), `key ${key} is still in ${group.name}`);
          continue;
        }
        for (const serial of this.#acknowledged.get(key) ?? []) {
          assert.ok(content.get(key)?.has(serial), `change ${serial} of key ${key} is lost`);
        }
      }
    }
  }
}

type ApplyStep = Extract<SlotStep, { do: "apply" }>;

const slotOf = (key: number) => key % SLOTS;

function ownerOf(record: SlotRecord, key: number): number {
  return new SlotMap(record.map).ownerOf(slotOf(key));
}

// Clients of a simulated system: changes, queries of all groups, and queries of a key. Each
// response is checked at once, and acknowledged changes are remembered until the end.

import * as assert from "uvu/assert";
import type { Random } from "../random.js";
import type { Task } from "./interleave.js";
import {
  type Dispatcher,
  findOwner,
  isHeld,
  KEYS,
  keySlot,
  type Request,
} from "./simulated-dispatcher.js";
import { checkResponse } from "./simulated-end.js";
import {
  type Content,
  copyContent,
  isSettled,
  type Member,
  type SimulatedGroup,
} from "./simulated-group.js";

/** Part of the protocol that is left out, to see that it is needed. */
export type Guard =
  | ("hold" | "owner" | "map of answers" | "abort first" | "drop" | "verify" | "lease")
  | ("all members" | "removal" | "settled" | "latest term" | "confirmed" | "adopted")
  | ("map of keys" | "restart" | "written" | "flushed");

/** A command or request got no response. */
export class Lost extends Error {}

export interface SimulatedWorld {
  readonly random: Random;
  readonly without: Guard | null;
  readonly groups: ReadonlyMap<string, SimulatedGroup>;
  readonly members: readonly Member[];
  readonly dispatchers: readonly Dispatcher[];
  /** Number of the present step. */
  step: number;
}

export class SimulatedClients {
  readonly #world: SimulatedWorld;
  readonly #random: Random;
  readonly acknowledged: Content = new Map();
  #serial = 0;
  responses = 0;
  changes = 0;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#random = world.random;
  }

  *change(): Task {
    const key = this.#random.below(KEYS);
    const serial = this.#serial++;
    const dispatcher =
      this.#random.below(4) === 0 ? null : this.#random.of(this.#world.dispatchers);
    const request: Request = { key, isQuery: false };
    while (dispatcher !== null && isHeld(dispatcher, request)) yield;
    dispatcher?.running.add(request);
    try {
      const { record } = dispatcher ?? this.#random.of(this.#world.members);
      const group = record.groups[findOwner(record, key)]!;
      yield;
      const leader = this.#leaderOf(group);
      const { term } = leader;
      if (!this.#apply(leader, key, serial)) return;
      if (this.#random.below(2) === 0) yield;
      // A leader that is back has the changes of the one between.
      if (
        leader.term !== term ||
        !this.#world.groups.get(leader.group)!.confirm(leader, this.#random)
      )
        return;
      this.#acknowledge(key, serial);
      yield;
    } finally {
      dispatcher?.running.delete(request);
    }
  }

  /** Returns false for a change that is refused. */
  #apply({ group, record, content }: Member, key: number, serial: number): boolean {
    const isHeld = record.move?.slots.includes(keySlot(key)) === true;
    if (isHeld && this.#world.without !== "hold") return false;
    const owner = record.groups[findOwner(record, key)];
    if (owner !== group && this.#world.without !== "owner") return false;
    content.set(key, new Set([...(content.get(key) ?? []), serial]));
    this.changes++;
    return true;
  }

  #acknowledge(key: number, serial: number): void {
    const known = this.acknowledged.get(key) ?? new Set();
    this.acknowledged.set(key, known.add(serial));
  }

  *query(): Task {
    const dispatcher = this.#random.of(this.#world.dispatchers);
    const request: Request = { key: null, isQuery: true };
    while (isHeld(dispatcher, request)) yield;
    dispatcher.running.add(request);
    try {
      const before = new Map([...this.acknowledged].map(([key, set]) => [key, new Set(set)]));
      const { record } = dispatcher;
      const parts: { readonly content: Content; readonly version: number }[] = [];
      for (const group of this.#world.groups.values()) {
        yield;
        // A former leader may respond with previous contents for the time of its lease.
        const up = group.members.filter((member) => member.isUp && member.term === group.term);
        const [syncedMember] = up.filter((member) => group.synced.has(member));
        if (syncedMember === undefined) return;
        const isOfMap = isSettled(syncedMember) || this.#world.without === "settled";
        parts.push({
          content: copyContent(syncedMember.content),
          version: isOfMap ? syncedMember.record.version : -1,
        });
      }
      yield;
      const isOne = parts.every(({ version }) => version === record.version);
      if (!isOne && this.#world.without !== "map of answers") return;
      this.responses++;
      checkResponse(before, parts);
    } finally {
      dispatcher.running.delete(request);
    }
  }

  /** Only the group of the key answers, while other slots may move. */
  *keyedQuery(): Task {
    const key = this.#random.below(KEYS);
    const dispatcher = this.#random.of(this.#world.dispatchers);
    const request: Request = { key, isQuery: true };
    while (isHeld(dispatcher, request)) yield;
    dispatcher.running.add(request);
    try {
      const before = [...(this.acknowledged.get(key) ?? [])];
      const { record } = dispatcher;
      yield;
      const group = this.#world.groups.get(record.groups[findOwner(record, key)]!)!;
      const up = group.members.filter((member) => member.isUp && member.term === group.term);
      const member = up.find((candidate) => group.synced.has(candidate));
      if (member?.record.groups[findOwner(member.record, key)] !== group.name) return;
      const { starts } = member;
      const sinceStep = this.#world.step;
      for (let n = this.#random.below(80); n > 0; n--) yield;
      const content = new Set(member.content.get(key));
      yield;
      if (member.starts !== starts || !member.isUp) return;
      const slot = keySlot(key);
      const isMoved = (member.touched.get(slot) ?? -1) >= sinceStep;
      const isMoving = isMoved || member.record.move?.slots.includes(slot) === true;
      if (isMoving && this.#world.without !== "map of keys") return;
      this.responses++;
      const lost = before.filter((serial) => !content.has(serial));
      assert.equal(lost, [], `an answer for key ${key}`);
    } finally {
      dispatcher.running.delete(request);
    }
  }

  /** Returns a member that believes to lead. */
  #leaderOf(group: string): Member {
    const leaders = this.#world.groups
      .get(group)!
      .members.filter(({ isUp, leads }) => isUp && leads);
    if (leaders.length === 0) throw new Lost();
    return this.#random.of(leaders);
  }
}

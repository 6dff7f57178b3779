// One member of a group whose other members are played by the test, with a clock that stands still
// until the test moves it. Nothing becomes due by itself.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Test } from "uvu";
import { Group, type GroupParts } from "../../../../runtime/interconnect/leadership/group.js";
import {
  encodeRecord,
  type Incarnation,
  type LeadershipRecord,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { MemberFile } from "../../../../runtime/interconnect/leadership/member-file.js";
import type { LeadershipSettings } from "../../../../runtime/settings/server-settings.js";
import { MemoryEngine } from "./memory-engine.js";

/** A ttl of hours: no read or check is due unless a test advances the time. */
export const HOUR_MS = 3_600_000;
export const POLL_MS = HOUR_MS / 10;
/** The first member of its group. */
export const FIRST = { id: "B1", group: "B1" };
export const OTHER: Incarnation = ["S2", "2".repeat(32)];
/** Enough for everything that needs no time. */
const TURNS = 20;
const realNow = performance.now;

export interface LoneMemberOptions {
  readonly rules?: Partial<LeadershipSettings>;
  /** Epochs that its folder and its member file know. */
  readonly epoch?: number;
  readonly fileEpoch?: number;
  readonly parts?: Partial<GroupParts>;
}

export class LoneMember {
  readonly engine = new MemoryEngine();
  readonly file: MemberFile;
  readonly group: Group;
  readonly lines: string[] = [];
  /** Its calls, and each role that it published. */
  readonly calls: string[] = [];
  now = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-member-"));
  #tick: () => void = () => undefined;
  #published = "";

  constructor({ rules = {}, epoch = 0, fileEpoch = 0, parts = {} }: LoneMemberOptions = {}) {
    performance.now = () => this.now;
    const settings: LeadershipSettings = {
      ...{ engine: "memory:", ttl: HOUR_MS, minSynced: 1, whenAlone: "refuse", members: {} },
      ...{ group: "B1", id: "S1", ...rules },
    };
    this.file = new MemberFile(this.#folder, settings.id);
    this.file.recordEpoch(fileEpoch);
    const { calls } = this;
    const { setInterval: realInterval } = globalThis;
    globalThis.setInterval = ((run: () => void, ms: number) => {
      this.#tick = run;
      return realInterval(run, ms);
    }) as typeof setInterval;
    this.group = new Group({
      ...{ settings, engine: this.engine.open(settings.id), file: this.file, epoch },
      ...{ lastSn: () => 0, lag: () => 0, heardAtMs: () => 0, isComplete: () => true },
      warn: (line) => this.lines.push(line),
      isBehind: async (ids) => calls.push(`ask ${ids}`) === 0,
      fetchPositions: async () => new Map([["S2", null]]),
      lead: async (epoch) => void calls.push(`lead ${epoch}`),
      follow: async () => void calls.push("follow"),
      rejectEpochsBelow: (epoch) => calls.push(`met ${epoch}`),
      freeze: async (deadline) => void calls.push(`freeze until ${deadline}`),
      thaw: () => calls.push("thaw"),
      confirm: () => calls.push("confirm"),
      publish: (role, epoch) => this.#publish(`${role} ${epoch}`),
      onChange: () => calls.push("changed"),
      ...parts,
    });
    globalThis.setInterval = realInterval;
  }

  /** Its record, of which other members see to the rest. */
  store(record: Partial<LeadershipRecord>): void {
    const synced = [this.file.incarnation, OTHER];
    const storedRecord = { holder: "B1", epoch: 1, beat: 0, synced, next: null, ...record };
    this.engine.store(encodeRecord(storedRecord));
  }

  /** Does everything that is due. */
  async settle(): Promise<void> {
    for (let count = 0; count < TURNS; count++) {
      this.group.readNow();
      await turn();
    }
  }

  /** Starts; it leads if it may. */
  async start(): Promise<void> {
    this.group.start();
    await this.settle();
  }

  /** Advances the time in steps of one poll. */
  async pass(ms: number): Promise<void> {
    for (let remaining = ms; remaining > 0; remaining -= POLL_MS) {
      this.now += Math.min(remaining, POLL_MS);
      await this.settle();
    }
  }

  /** Runs the work of its short interval. */
  tick(): void {
    this.#tick();
  }

  /** Returns its calls since the last time, of some kinds only. */
  since(kinds: RegExp): string[] {
    return this.calls.splice(0).filter((call) => kinds.test(call));
  }

  #publish(text: string): void {
    if (text !== this.#published) this.calls.push(text);
    this.#published = text;
  }

  async stop(): Promise<void> {
    // A handover that cannot succeed is over at once.
    performance.now = () => (this.now += 1_000);
    await this.group.stop();
    performance.now = realNow;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Open = (options?: LoneMemberOptions) => LoneMember;

export interface LoneMembers {
  readonly open: Open;
}

/** Members that end with their test. */
export function withLoneMembers(test: Test<LoneMembers>): void {
  const members: LoneMember[] = [];
  test.before.each((context) => {
    const open: Open = (options) => {
      const member = new LoneMember(options);
      members.push(member);
      return member;
    };
    Object.assign(context, { open });
  });
  test.after.each(async () => {
    for (const member of members.splice(0)) await member.stop();
  });
}

/** Returns a leader, the other member of whose group has everything. */
export async function lead(open: Open, options: LoneMemberOptions = {}): Promise<LoneMember> {
  const member = open({ rules: FIRST, ...options });
  await member.start();
  member.group.onAcknowledged(OTHER, 0);
  await member.settle();
  return member;
}

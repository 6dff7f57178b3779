// Logs that no member of a group may lead: the synced members have lost their data or do not
// respond, or the engine has lost the record. Only an operator can decide then.

import type { LogLine } from "../../base/log-settings.js";
import { serialBase } from "../log/segment-format.js";
import type { Positions } from "../wire/positions.js";
import type { Incarnation } from "./leadership.js";

/** Positions of the members of the group, by id; null: it does not respond. */
export type MemberPositions = ReadonlyMap<string, Positions | null>;

export interface LossReportParts {
  readonly group: string;
  readonly engine: string;
  readonly warn: LogLine;
  /** Asks all members. */
  readonly ask: () => Promise<MemberPositions>;
  /** Interval of asking. */
  readonly askMs: number;
}

export class LossReport {
  readonly #parts: LossReportParts;
  #askAtMs = Number.NEGATIVE_INFINITY;
  #logged = "";

  constructor(parts: LossReportParts) {
    this.#parts = parts;
  }

  /** A member may lead. */
  end(): void {
    this.#askAtMs = Number.NEGATIVE_INFINITY;
    this.#logged = "";
  }

  /**
   * Logs what is lost, once for each change.
   * @param synced members that may lead, none of which does; null: the engine has no record
   */
  async check(synced: readonly Incarnation[] | null): Promise<void> {
    const now = performance.now();
    if (now < this.#askAtMs) return;
    this.#askAtMs = now + this.#parts.askMs;
    const { group, engine, warn, ask } = this.#parts;
    const positions = await ask();
    const cause = synced === null ? recordLost(positions, engine) : membersLost(positions, synced);
    if (cause === null) return;
    // Without the record, no member claims, even if all run.
    const advice =
      synced === null ? "Once all members run" : "Start all members; only if the data is lost";
    const what = `group ${group} has no leader: ${cause}`;
    const text = `leadership: ${what}. ${describe(positions, advice)}`;
    if (text === this.#logged) return;
    this.#logged = text;
    warn(`SVC3402: ${text}`, "error");
  }
}

/** Returns null if a member still leads: it writes the record again. */
function recordLost(positions: MemberPositions, engine: string): string | null {
  if ([...positions.values()].some((one) => one?.member === null)) return null;
  return `${engine} has lost its record`;
}

/** Returns null if one of them may still lead. */
function membersLost(positions: MemberPositions, synced: readonly Incarnation[]): string | null {
  const lost: string[] = [];
  for (const [id, incarnation] of synced) {
    const found = positions.get(id) ?? null;
    // Only a leader does not tell which member it is.
    if (found !== null && (found.member?.[1] ?? incarnation) === incarnation) return null;
    lost.push(`${id} ${found === null ? "does not respond" : "has lost its data"}`);
  }
  return `only these members may lead: ${lost.join(", ")}`;
}

/** Describes what each member has, and what the operator can do. */
function describe(positions: MemberPositions, advice: string): string {
  const shown = [...positions].map(([id, one]) => `${id} ${describeOne(one)}`);
  const [best] = [...positions].reduce((one, other) => (isLater(other[1], one[1]) ? other : one));
  const promote = `svc admin promote ${best} --accept-loss`;
  const all = `master-serial of each member: ${shown.join(", ")}`;
  return `${all}. ${advice}, continue with what ${best} has: ${promote}`;
}

function describeOne(positions: Positions | null): string {
  if (positions === null) return "does not respond";
  const serial = serialOf(positions);
  return serial === 0 ? "0" : `${serial} of epoch ${positions.epoch}`;
}

/** An earlier leader can have a later log, with higher numbers: the epochs come first. */
function isLater(one: Positions | null, other: Positions | null): boolean {
  const [first, second] = [epochOf(one), epochOf(other)];
  return first === second ? serialOf(one) > serialOf(other) : first > second;
}

/** Returns the epoch of the leader that a member has changes of; 0: none. */
function epochOf(positions: Positions | null): number {
  const hasChanges = positions !== null && (positions.log?.sn ?? 0) > 0;
  return hasChanges ? positions.epoch : 0;
}

/** Returns the `master-serial` of a member, 0 without data. */
function serialOf(positions: Positions | null): number {
  const log = positions?.log ?? null;
  return log === null ? 0 : serialBase(log.id) + log.sn;
}

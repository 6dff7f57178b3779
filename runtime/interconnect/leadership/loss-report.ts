// Logs that a group has no leader and cannot choose one: all synced members have lost their data or
// do not respond, or the engine has lost the record. Then an operator must decide.

import type { LogLine } from "../../base/log-settings.js";
import { serialBase } from "../log/segment-format.js";
import type { Positions } from "../wire/positions.js";
import type { Incarnation } from "./leadership.js";

/** Positions of the members of the group, by id; null: it does not respond. */
export type MemberPositions = ReadonlyMap<string, Positions | null>;

const LOST_ADVICE = "Start all members; only if the data is lost";

export interface LossReportParts {
  readonly group: string;
  readonly engine: string;
  readonly warn: LogLine;
  readonly fetchPositions: () => Promise<MemberPositions>;
  /** Minimum interval between two calls of `fetchPositions`. */
  readonly intervalMs: number;
}

export class LossReport {
  readonly #parts: LossReportParts;
  /** Earliest time of the next check. */
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #logged = "";

  constructor(parts: LossReportParts) {
    this.#parts = parts;
  }

  /** Resets the report: the group can choose a leader again. */
  reset(): void {
    this.#dueAtMs = Number.NEGATIVE_INFINITY;
    this.#logged = "";
  }

  /**
   * Logs the cause and the position of each member, again only after a change.
   * @param synced members that the record permits to lead; null: the engine has no record
   */
  async check(synced: readonly Incarnation[] | null): Promise<void> {
    const now = performance.now();
    if (now < this.#dueAtMs) return;
    this.#dueAtMs = now + this.#parts.intervalMs;
    const { group, engine, warn, fetchPositions } = this.#parts;
    const positions = await fetchPositions();
    const cause = synced === null ? recordLost(positions, engine) : membersLost(positions, synced);
    if (cause === null) return;
    // Without the record no member claims leadership, even if all of them run.
    const advice = synced === null ? "Once all members run" : LOST_ADVICE;
    const problem = `group ${group} has no leader: ${cause}`;
    const text = `leadership: ${problem}. ${describe(positions, advice)}`;
    if (text === this.#logged) return;
    this.#logged = text;
    warn(`SVC3402: ${text}`, "error");
  }
}

/**
 * Says why no member is promoted without the consent of the operator, and what each member has.
 * @param synced members that the record permits to lead
 */
export function explainRefusal(positions: MemberPositions, synced: readonly Incarnation[]): string {
  const ids = synced.map(([id]) => id).join(", ");
  // A member that leads has all changes, and this one has not read the record yet.
  const isLed = [...positions.values()].some((position) => position?.member === null);
  const cause = synced.length === 0 || isLed ? null : membersLost(positions, synced);
  if (cause !== null) return `${cause}. ${describe(positions, LOST_ADVICE)}`;
  const reason =
    synced.length === 0
      ? "no record names the members that have all changes; start all members"
      : `the members that have all changes are: ${ids}; start one of them`;
  return `${reason}, or add --accept-loss. ${describeSerials(positions)}`;
}

/** Returns null if a member still leads, because it will write the record again. */
function recordLost(positions: MemberPositions, engine: string): string | null {
  // Only a leader does not report which member it is.
  if ([...positions.values()].some((position) => position?.member === null)) return null;
  return `${engine} has lost its record`;
}

/** Returns null if one of the synced members may still lead. */
function membersLost(positions: MemberPositions, synced: readonly Incarnation[]): string | null {
  const lost: string[] = [];
  for (const [id, incarnation] of synced) {
    const position = positions.get(id) ?? null;
    // A leader reports no member.
    if (position !== null && (position.member?.[1] ?? incarnation) === incarnation) return null;
    lost.push(`${id} ${position === null ? "does not respond" : "has lost its data"}`);
  }
  return `no member that may lead is available: ${lost.join(", ")}`;
}

/** Describes the position of each member, and what the operator can do. */
function describe(positions: MemberPositions, advice: string): string {
  const [best] = [...positions].reduce((best, entry) =>
    isLater(entry[1], best[1]) ? entry : best,
  );
  const promote = `svc admin promote ${best} --accept-loss`;
  return `${describeSerials(positions)}. ${advice}, continue with what ${best} has: ${promote}`;
}

function describeSerials(positions: MemberPositions): string {
  const members = [...positions].map(([id, position]) => `${id} ${describeMember(position)}`);
  return `master-serial of each member: ${members.join(", ")}`;
}

function describeMember(positions: Positions | null): string {
  if (positions === null) return "does not respond";
  if (positions.member === null) return "leads";
  const serial = serialOf(positions);
  return serial === 0 ? "0" : `${serial} of epoch ${positions.epoch}`;
}

/** Compares epochs first: the log of an earlier leader can have higher serial numbers. */
function isLater(left: Positions | null, right: Positions | null): boolean {
  const [leftEpoch, rightEpoch] = [epochOf(left), epochOf(right)];
  return leftEpoch === rightEpoch ? serialOf(left) > serialOf(right) : leftEpoch > rightEpoch;
}

/** Returns the epoch of the last leader whose changes a member has; 0: no changes. */
function epochOf(positions: Positions | null): number {
  const hasChanges = serialOf(positions) > 0 && positions!.log!.sn > 0;
  return hasChanges ? positions!.epoch : 0;
}

/** Returns the `master-serial` of a member, 0 without data: the log contains new graphs, too. */
function serialOf(positions: Positions | null): number {
  const { log = null, graphs = [] } = positions ?? {};
  const hasChanges = graphs.some(({ count }) => count > 0);
  return log === null || !hasChanges ? 0 : serialBase(log.id) + log.sn;
}

// Selects the pieces for a restore: the last full backup before the target, and the log from there
// on. If the backup does not cover the target, the error contains the nearest positions.

import { isDeepStrictEqual } from "node:util";
import { SvcError } from "../../base/errors.js";
import { LOG_FOLDER } from "../../base/graph-names.js";
import type { SlotRecord } from "../../base/slot-record.js";
import { BackupChain, type BackupEnd } from "./backup-chain.js";
import { type FullBackup, type LogPoint, type Manifest, MOVING, type Piece } from "./manifest.js";
import type { ObjectStore } from "./object-store.js";

/** Moment to restore: a position, the end of a second, or the end of the backup. */
export type RestoreTarget =
  | { readonly kind: "end" }
  | { readonly kind: "time"; readonly second: number }
  | { readonly kind: "position"; readonly id: string; readonly sn: number };

export interface PlannedPiece extends Piece {
  /** The last position before this piece that can be restored. */
  readonly before: LogPoint | null;
}

export interface RestorePlan {
  /** In ascending order of their offsets in each file. */
  readonly pieces: readonly PlannedPiece[];
  /** End of the log in these pieces. */
  readonly log: LogPoint;
  readonly target: RestoreTarget;
  /** Manifests up to the target, with recorded digests of the graphs. */
  readonly manifests: readonly Pick<Manifest, "graphs" | "slots" | "log">[];
  /** Slots of the instance at the target; null: the instance has none. */
  readonly slots: SlotRecord | typeof MOVING | null;
  /** First position of the next full backup; null: there is none. */
  readonly after: LogPoint | null;
}

/** @throws SvcError SVC3420, SVC3422 */
export async function planRestore(store: ObjectStore, target: RestoreTarget): Promise<RestorePlan> {
  const chain = new BackupChain(store);
  const end = await chain.end();
  if (end === null) {
    throw new SvcError("SVC3420", `no backup in ${store.uri}: check the location`);
  }
  const fulls = await listFulls(chain, end);
  const chosen = fulls.findLastIndex(({ log }) => startsBefore(log, target));
  const after = fulls[chosen + 1]?.log ?? null;
  if (chosen < 0) throw nothingRecorded(target, null, after);
  const { number, hash } = fulls[chosen]!;
  const pieces = new Map<string, PlannedPiece>();
  const manifests: Manifest[] = [];
  let before = fulls[chosen - 1]?.log ?? null;
  try {
    for await (const { manifest } of chain.since(end, number, hash)) {
      for (const piece of manifest.pieces) {
        const key = `${piece.at} ${piece.path}`;
        const isWanted = manifest.number === number || piece.path.startsWith(`${LOG_FOLDER}/`);
        if (isWanted && !isLaterLocalPiece(piece, manifest, number) && !pieces.has(key)) {
          pieces.set(key, { ...piece, before });
        }
      }
      manifests.push(manifest);
      before = manifest.log;
      if (isReached(manifest, target)) break;
    }
  } catch (error) {
    if ((error as SvcError).code !== "SVC3420") throw error;
    const text = `${(error as SvcError).message}; ${describeNearest(before, after)}`;
    throw new SvcError("SVC3420", text, { cause: error });
  }
  const last = manifests.at(-1)!;
  const until = last.number === end.manifest.number ? end.time : last.time;
  if (!isReached(last, target) && !isWithoutChanges(target, until))
    throw nothingRecorded(target, last.log, after);
  const slots = slotsAt(manifests, target);
  return { pieces: [...pieces.values()], log: last.log, target, manifests, slots, after };
}

/** Returns the slots at the target. Between two manifests they are known only if both agree. */
function slotsAt(manifests: readonly Manifest[], target: RestoreTarget): RestorePlan["slots"] {
  const last = manifests.at(-1)!;
  const { slots = null } = last;
  const isBetween =
    isReached(last, target) && !(target.kind === "position" && last.log.sn === target.sn);
  if (!isBetween || isDeepStrictEqual(slots, manifests.at(-2)?.slots ?? null)) return slots;
  return MOVING;
}

/** @throws SvcError SVC3420 if slots were moving at the target: no slot map fits the contents */
export function requireSettledSlots({ slots, manifests, target }: RestorePlan): SlotRecord | null {
  if (slots !== MOVING) return slots;
  const isSettled = (manifest: Pick<Manifest, "slots">): boolean => manifest.slots !== MOVING;
  const before = manifests.slice(0, -1).findLast(isSettled)?.log ?? null;
  const last = manifests.at(-1)!;
  const nearest = describeNearest(before, isSettled(last) ? last.log : null);
  throw new SvcError("SVC3420", `slots were moving at ${describeTarget(target)}; ${nearest}`);
}

/** Returns all full backups, the oldest first. */
async function listFulls(chain: BackupChain, end: BackupEnd): Promise<FullBackup[]> {
  const { manifest, hash } = await chain.require(end.manifest.full);
  const { number, log, time } = manifest;
  return [...manifest.fulls, { number, hash, log, time }];
}

/** Returns whether a full backup contains no changes after the target. */
function startsBefore({ id, sn, at }: LogPoint, target: RestoreTarget): boolean {
  if (target.kind === "end") return true;
  return target.kind === "time" ? at <= target.second : id === target.id && sn <= target.sn;
}

/** Returns whether a manifest completes the log up to the target. */
function isReached({ log }: Manifest, target: RestoreTarget): boolean {
  if (target.kind === "end") return false;
  return target.kind === "time" ? log.at > target.second : log.sn >= target.sn;
}

/** Returns whether there were no changes between the last transaction and the target. */
function isWithoutChanges(target: RestoreTarget, until: number): boolean {
  if (target.kind === "end") return true;
  return target.kind === "time" && target.second * 1000 <= until;
}

/** Local graphs are restored as of the full backup: pieces of their later logs would not fit. */
function isLaterLocalPiece({ path }: Piece, { number }: Manifest, full: number): boolean {
  return number !== full && path.split("/").length > 2;
}

/** Returns the error for a target that the backup does not cover. */
function nothingRecorded(
  target: RestoreTarget,
  before: LogPoint | null,
  after: LogPoint | null,
): SvcError {
  const text = `nothing was recorded for ${describeTarget(target)}`;
  return new SvcError("SVC3420", `${text}; ${describeNearest(before, after)}`);
}

/** Describes the positions before and after the gap in a backup. */
export function describeNearest(before: LogPoint | null, after: LogPoint | null): string {
  const positions = [
    ...(before === null ? [] : [`before: ${describePoint(before)}`]),
    ...(after === null ? [] : [`after: ${describePoint(after)}`]),
  ];
  return positions.length === 0
    ? "no other position of this full backup can be restored"
    : positions.join(", ");
}

export function describePoint({ id, sn, at }: LogPoint): string {
  return `${id}:${sn} (${new Date(at * 1000).toISOString()})`;
}

function describeTarget(target: RestoreTarget): string {
  if (target.kind === "end") return "the end";
  return target.kind === "time"
    ? new Date(target.second * 1000).toISOString()
    : `${target.id}:${target.sn}`;
}

// Leadership engine: keeps small records for each group of instances in a service that exists
// already, and replaces one only if no other member has. Each engine is one module with a row in
// engines.ts, chosen by the scheme of a URI.

import type { LeadershipSettings } from "../../settings/server-settings.js";

/** Fraction of the `ttl`. */
const CALL_TIMEOUT = 0.5;

/** Limit of one call of an engine. */
export function callTimeoutMs({ ttl }: Pick<LeadershipSettings, "ttl">): number {
  return ttl * CALL_TIMEOUT;
}

/** Reads and replaces one record. */
export interface LeadershipEngine {
  /** Returns the latest record. @throws Error if the engine does not answer */
  read(): Promise<TextReading>;
  /**
   * Replaces the record if its revision is still `revision`.
   * @returns the new revision; null: another instance has replaced it
   * @throws Error if the outcome is unknown
   */
  swap(revision: string, text: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface TextReading {
  /** Changes with each replacement; also says that there is no record. */
  readonly revision: string;
  readonly text: string | null;
}

export interface Reading {
  /** Changes with each replacement; also says that there is no record. */
  readonly revision: string;
  readonly record: LeadershipRecord | null;
}

/** A member, and the data folder that it had: an emptied one is another incarnation. */
export type Incarnation = readonly [id: string, incarnation: string];

export interface LeadershipRecord {
  /** Leader; null: it has handed over. */
  readonly holder: string | null;
  /** Number of claims so far. */
  readonly epoch: number;
  /** Renewals of this epoch: a record that does not change has no living holder. */
  readonly beat: number;
  /** Members that may lead, because they have everything that was acknowledged. */
  readonly synced: readonly Incarnation[];
  /** Member that a handover is for; null: none. */
  readonly next: string | null;
}

const MEMBER = /^[\w.:-]{1,64}$/;
const INCARNATION = /^[0-9a-f]{32}$/;
const MAX_MEMBERS = 127;
const MAX_RECORD_BYTES = 2 ** 15;
/** Of any record of an engine. */
export const MAX_TEXT_BYTES = 2 ** 18;

export function encodeRecord(record: LeadershipRecord): string {
  return JSON.stringify(record);
}

/** Parses a record; null if it is not one. */
export function parseRecord(text: string | null): LeadershipRecord | null {
  if (text === null || text.length > MAX_RECORD_BYTES) return null;
  try {
    const { holder, epoch, beat, synced, next } = JSON.parse(text) as LeadershipRecord;
    const isRecord =
      isMemberOrNull(holder) && isMemberOrNull(next) && isNumber(epoch) && isNumber(beat);
    if (!isRecord || !Array.isArray(synced) || synced.length > MAX_MEMBERS) return null;
    if (!synced.every(isIncarnation)) return null;
    return { holder, epoch, beat, synced: synced.map(([id, one]) => [id, one]), next };
  } catch {
    return null;
  }
}

export function isIncarnation(given: unknown): given is Incarnation {
  if (!Array.isArray(given) || given.length !== 2) return false;
  const [id, incarnation] = given;
  return isMember(id) && typeof incarnation === "string" && INCARNATION.test(incarnation);
}

function isMember(given: unknown): given is string {
  return typeof given === "string" && MEMBER.test(given);
}

function isMemberOrNull(given: unknown): given is string | null {
  return given === null || isMember(given);
}

function isNumber(given: unknown): given is number {
  return Number.isSafeInteger(given) && (given as number) >= 0;
}

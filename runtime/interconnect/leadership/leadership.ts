// Leadership engine: keeps small records for each group of instances in a service that exists
// already, and replaces one only if no other member has. Each engine is one module with a row in
// engines.ts, chosen by the scheme of a URI.

import { SvcError } from "../../base/errors.js";
import { explainLaterFormat } from "../../base/later-release.js";
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

const FORMAT = 1;
const MEMBER = /^[\w.:-]{1,64}$/;
const INCARNATION = /^[0-9a-f]{32}$/;
const MAX_MEMBERS = 127;
const MAX_RECORD_BYTES = 2 ** 15;
/** Of any record of an engine. */
export const MAX_TEXT_BYTES = 2 ** 18;

export function encodeRecord(record: LeadershipRecord): string {
  return JSON.stringify({ format: FORMAT, ...record });
}

/**
 * Parses the record of a group; null if it is not one.
 * @throws SvcError SVC3400 for one of a later release, which is neither followed nor replaced
 */
export function parseRecord(text: string | null): LeadershipRecord | null {
  const given = parseText(text);
  const reason = explainLaterFormat(given.format, FORMAT);
  if (reason !== null) {
    throw new SvcError("SVC3400", `leadership: record of the group: ${reason}`);
  }
  return readRecord(given);
}

/** Finds the record of a group in a text; null if it is another one. */
export function findRecord(text: string | null): LeadershipRecord | null {
  return readRecord(parseText(text));
}

type Given = Partial<LeadershipRecord> & { readonly format?: unknown };

function parseText(text: string | null): Given {
  if (text === null || text.length > MAX_RECORD_BYTES) return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Records of the first release have no format. */
function readRecord({ format = FORMAT, ...given }: Given): LeadershipRecord | null {
  const { holder, epoch, beat, synced, next } = given as LeadershipRecord;
  const isRecord =
    isMemberOrNull(holder) && isMemberOrNull(next) && isNumber(epoch) && isNumber(beat);
  if (format !== FORMAT || !isRecord) return null;
  if (!Array.isArray(synced) || synced.length > MAX_MEMBERS) return null;
  if (!synced.every(isIncarnation)) return null;
  return { holder, epoch, beat, synced: synced.map(([id, one]) => [id, one]), next };
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

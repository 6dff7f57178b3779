// Leadership engine: stores small records of a group in an external service, and replaces a record
// by compare-and-swap. Each engine is one module with a row in engines.ts; the scheme of a URI
// selects it.

import { SvcError } from "../../base/errors.js";
import { explainLaterFormat } from "../../base/later-release.js";
import type { LeadershipSettings } from "../../settings/server-settings.js";

/** Fraction of the `ttl`. */
const CALL_TIMEOUT = 0.5;

/** Returns the time limit of one call of an engine. */
export function callTimeoutMs({ ttl }: Pick<LeadershipSettings, "ttl">): number {
  return ttl * CALL_TIMEOUT;
}

/** Reads and replaces one record. */
export interface LeadershipEngine {
  /** Returns the latest record. @throws Error if the engine does not respond */
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
  /** Changes with each replacement. An absent record has a revision, too. */
  readonly revision: string;
  readonly text: string | null;
}

export interface Reading {
  /** As in `TextReading`. */
  readonly revision: string;
  readonly record: LeadershipRecord | null;
}

/** A member with a certain data folder. With an emptied data folder, it is another incarnation. */
export type Incarnation = readonly [id: string, incarnation: string];

export interface LeadershipRecord {
  /** Leader; null: the last leader has handed over. */
  readonly holder: string | null;
  /** Number of claims so far. */
  readonly epoch: number;
  /** Number of renewals in this epoch. It shows that the holder is alive. */
  readonly beat: number;
  /** Members that may lead, because they have all acknowledged changes. */
  readonly synced: readonly Incarnation[];
  /** Successor chosen by a handover; null: none. */
  readonly next: string | null;
}

const FORMAT = 1;
const MEMBER = /^[\w.:-]{1,64}$/;
const INCARNATION = /^[0-9a-f]{32}$/;
const MAX_MEMBERS = 127;
const MAX_RECORD_BYTES = 2 ** 15;
/** Limit of any record of an engine. */
export const MAX_TEXT_BYTES = 2 ** 18;

export function encodeRecord(record: LeadershipRecord): string {
  return JSON.stringify({ format: FORMAT, ...record });
}

/**
 * Parses the record of a group. Returns null for any other text.
 * @throws SvcError SVC3400 for a record of a later release: it must not be replaced
 */
export function parseRecord(text: string | null): LeadershipRecord | null {
  const json = parseText(text);
  const reason = explainLaterFormat(json.format, FORMAT);
  if (reason !== null) {
    throw new SvcError("SVC3400", `leadership: record of the group: ${reason}`);
  }
  return readRecord(json);
}

/** Parses the record of a group. Returns null for any other text, and for later releases. */
export function findRecord(text: string | null): LeadershipRecord | null {
  return readRecord(parseText(text));
}

type RecordJson = Partial<LeadershipRecord> & { readonly format?: unknown };

function parseText(text: string | null): RecordJson {
  if (text === null || text.length > MAX_RECORD_BYTES) return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The first release wrote records without a format. */
function readRecord({ format = FORMAT, ...json }: RecordJson): LeadershipRecord | null {
  const { holder, epoch, beat, synced, next } = json as LeadershipRecord;
  const isRecord =
    isMemberOrNull(holder) && isMemberOrNull(next) && isNumber(epoch) && isNumber(beat);
  if (format !== FORMAT || !isRecord) return null;
  if (!Array.isArray(synced) || synced.length > MAX_MEMBERS) return null;
  if (!synced.every(isIncarnation)) return null;
  return { holder, epoch, beat, synced: synced.map(([id, uuid]) => [id, uuid]), next };
}

export function isIncarnation(value: unknown): value is Incarnation {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [id, incarnation] = value;
  return isMember(id) && typeof incarnation === "string" && INCARNATION.test(incarnation);
}

function isMember(value: unknown): value is string {
  return typeof value === "string" && MEMBER.test(value);
}

function isMemberOrNull(value: unknown): value is string | null {
  return value === null || isMember(value);
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

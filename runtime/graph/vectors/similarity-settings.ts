// Similarity settings of the vectors of a graph. The settings of unnamed vectors are in the header,
// the settings of named vectors in the block of the name. Threads share them; snapshots,
// transaction logs and replicas include them. A word of 0 means the default.

import { MEASURE_NAMES } from "../../base/measure-names.js";
import { PRECISIONS } from "../../base/precisions.js";
import type { Arena } from "../memory/arena.js";
import type { Writer } from "../memory/writer.js";
import { ValueError } from "../model/errors.js";
import { MAX_COMPONENTS } from "./scratch-buffers.js";

/** Settings for the similarity of a graph's vectors. */
export interface SimilaritySettings {
  readonly nsegm: number;
  readonly nsign: number;
  readonly max_vector_size: number;
  readonly min_isect: number;
  readonly min_cosine: number;
  readonly min_jaccard: number;
  readonly cosine_exp: number;
  readonly jaccard_exp: number;
  readonly hamming_threshold: number;
  readonly sim_threshold: number;
}

/** Settings that can be changed. */
export type SimilaritySetting = Exclude<
  keyof SimilaritySettings,
  "nsegm" | "nsign" | "max_vector_size"
>;

/** All stored settings, including precision and measure, which other options change. */
export type VectorSetting = SimilaritySetting | "precision" | "measure";

interface Row {
  readonly name: VectorSetting;
  readonly defaultValue: number;
  readonly min: number;
  readonly max: number;
  readonly isInteger?: true;
  /** Set if it is not one of `SimilaritySettings`. */
  readonly isOther?: true;
}

/** Location of the settings in memory. */
export interface SettingWords {
  readonly arena: Arena;
  /** Offset of the first setting. */
  readonly settings: number;
}

/** The offset of a row is that of its word in memory: append only, 16 at most. */
const ROWS: readonly Row[] = [
  { name: "hamming_threshold", defaultValue: 0, min: 0, max: 64, isInteger: true },
  { name: "sim_threshold", defaultValue: 1, min: -1, max: 1 },
  { name: "cosine_exp", defaultValue: 1, min: 0, max: 1 },
  { name: "jaccard_exp", defaultValue: 0, min: 0, max: 1 },
  { name: "min_cosine", defaultValue: 0, min: 0, max: 1 },
  { name: "min_jaccard", defaultValue: 0, min: 0, max: 1 },
  { name: "min_isect", defaultValue: 1, min: 1, max: 48, isInteger: true },
  enumRow("precision", PRECISIONS),
  enumRow("measure", MEASURE_NAMES),
];
function enumRow(name: VectorSetting, names: readonly string[]): Row {
  return { name, defaultValue: 0, min: 0, max: names.length - 1, isInteger: true, isOther: true };
}

/** The two exponents, whose sum is always 1. */
const EXPONENTS = [settingIndex("cosine_exp"), settingIndex("jaccard_exp")] as const;

const float = new Float32Array(1);
const floatWord = new Uint32Array(float.buffer);

/** Returns the number that identifies a setting in records. */
export function settingIndex(name: VectorSetting): number {
  return ROWS.findIndex((row) => row.name === name);
}

/**
 * Encodes a value.
 * @throws ValueError, TypeError
 */
export function encodeSetting(name: VectorSetting, value: unknown): number {
  const index = settingIndex(name);
  if (typeof value !== "number") throw new TypeError(`${name} must be a number`);
  if (!isAllowed(index, value)) {
    const { min, max, isInteger } = ROWS[index]!;
    const kind = isInteger ? "an integer" : "a number";
    throw new ValueError(`${name} must be ${kind} of ${min} to ${max}, not ${value}`);
  }
  return bitsOf(value);
}

/** Returns whether a record contains a valid value. */
export function isSetting(index: number, bits: number): boolean {
  floatWord[0] = bits;
  return index < ROWS.length && isAllowed(index, float[0]!);
}

/** Within a mutation: writes a setting; changing one exponent changes the other. */
export function writeSetting(writer: Writer, at: SettingWords, index: number, bits: number): void {
  floatWord[0] = bits;
  const value = float[0]!;
  put(writer, at, index, value);
  const [cosine, jaccard] = EXPONENTS;
  if (index === cosine) put(writer, at, jaccard, 1 - value);
  if (index === jaccard) put(writer, at, cosine, 1 - value);
}

/** Returns the current settings. */
export function readSettings(at: SettingWords): SimilaritySettings {
  const settings = { nsegm: 0, nsign: 0, max_vector_size: MAX_COMPONENTS };
  const rows = ROWS.flatMap(({ name, isOther }, index) =>
    isOther ? [] : [[name, readSetting(at, index)]],
  );
  return { ...settings, ...Object.fromEntries(rows) };
}

function isAllowed(index: number, value: number): boolean {
  const { min, max, isInteger } = ROWS[index]!;
  return value >= min && value <= max && (!isInteger || Number.isInteger(value));
}

function put(
  writer: Writer,
  { arena, settings }: SettingWords,
  index: number,
  value: number,
): void {
  const bits = bitsOf(value) ^ bitsOf(ROWS[index]!.defaultValue);
  writer.put(arena, settings + index, bits >>> 0);
}

/** Returns the current value of a setting. */
export function readSetting({ arena, settings }: SettingWords, index: number): number {
  floatWord[0] = arena.words[settings + index]! ^ bitsOf(ROWS[index]!.defaultValue);
  return float[0]!;
}

function bitsOf(value: number): number {
  float[0] = value;
  return floatWord[0]!;
}

// Shapes of index signatures: their values and keys, with the limits of both.

import { ts } from "ts-morph";
import type { Limits } from "../../argspec/limits/limits.js";
import type { TypeShape } from "../record/type-shape.js";
import { type LimitTag, readLimitTags } from "./limit-tags.js";
import { withLimits } from "./limited-shape.js";
import { type Problem, problemsAtPath, type TypeReader } from "./reading.js";
import { escapeText, readKeyPattern } from "./template-pattern.js";

/** The part of an object shape that describes additional properties. */
interface IndexShape {
  readonly additional: TypeShape;
  readonly keys?: string;
  readonly keyLimits?: Limits;
}

interface IndexReading {
  readonly shape: IndexShape;
  readonly problems: readonly Problem[];
}

interface Keys {
  readonly pattern?: string | undefined;
  readonly limits?: Limits;
  readonly problems: readonly Problem[];
}

/** Shapes have values of one type, and limit all keys alike. */
const MIXED: Problem = {
  path: "",
  reason: "one of several index signatures",
  help: "one index signature",
};

/** Reads the index signatures as one; null if the type has none. */
export function readIndex(reader: TypeReader, type: ts.Type): IndexReading | null {
  const infos = reader.context.checker
    .getIndexInfosOfType(type)
    .filter(({ keyType }) => !(keyType.flags & ts.TypeFlags.ESSymbolLike))
    .map((info) => ({ info, keys: readKeys(reader, info.keyType) }));
  const isUnrestricted = ({ keys }: { readonly keys: Keys }) => !keys.pattern && !keys.limits;
  const index = infos.find(isUnrestricted) ?? infos[0];
  if (!index) return null;
  const { info } = index;
  const isMixed =
    infos.some((other) => other.info.type !== info.type) ||
    (infos.length > 1 && infos.some(({ keys }) => keys.limits));
  const isRefused = isMixed && reader.direction === "input";
  const keys = {
    ...index.keys,
    pattern: joinPatterns(infos.map((other) => other.keys.pattern)),
    problems: infos.flatMap((other) => other.keys.problems).concat(isRefused ? [MIXED] : []),
  };
  const tags = info.declaration ? readLimitTags(reader.context, info.declaration) : [];
  return createReading(reader, keys, info.type, tags);
}

/** Returns the pattern of keys that match one of several patterns; undefined: any key. */
function joinPatterns(patterns: readonly (string | undefined)[]): string | undefined {
  if (patterns.includes(undefined)) return undefined;
  if (patterns.length === 1) return patterns[0];
  return `^(?:${patterns.map((pattern) => pattern!.slice(1, -1)).join("|")})$`;
}

/** Reads a `Map<K, V>` that is an object in JSON. */
export function readMap(reader: TypeReader, key: ts.Type, value: ts.Type): IndexReading {
  const keys = key.isUnion() ? readLiteralKeys(key.types) : readKeys(reader, key);
  return createReading(reader, keys, value, []);
}

/** A union with a member that is not a literal gets no pattern, so its keys are not checked. */
function readLiteralKeys(types: readonly ts.Type[]): Keys {
  const texts = types.map((type) =>
    type.isStringLiteral() || type.isNumberLiteral() ? escapeText(String(type.value)) : null,
  );
  if (texts.includes(null)) return { problems: [] };
  return { pattern: `^(?:${texts.join("|")})$`, problems: [] };
}

function createReading(
  reader: TypeReader,
  { pattern, limits, problems }: Keys,
  value: ts.Type,
  tags: readonly LimitTag[],
): IndexReading {
  const values = reader.readPresent(value);
  return {
    shape: {
      additional: withLimits(reader, values.shape, tags),
      ...(pattern !== undefined && { keys: pattern }),
      ...(limits !== undefined && { keyLimits: limits }),
    },
    problems: [...problems, ...problemsAtPath("[key]", values)],
  };
}

/** Keys are strings in JSON, so limits of numbers cannot apply to them. */
function readKeys(reader: TypeReader, type: ts.Type): Keys {
  const reading = reader.read(type);
  const { shape } = reading;
  const base = shape.kind === "limited" ? shape.base : shape;
  const pattern =
    base.kind === "pattern" ? base.source : readKeyPattern(reader.context.checker, type);
  const keys = pattern !== null && { pattern };
  const problems = problemsAtPath("[key]", reading);
  if (shape.kind !== "limited") return { ...keys, problems };
  if (base.kind === "str" || base.kind === "pattern") {
    return { ...keys, limits: shape.limits, problems };
  }
  const reason = "a key that is a limited number";
  return { ...keys, problems: [{ path: "[key]", reason, help: "a text with `@pattern`" }] };
}

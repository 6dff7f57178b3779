// The classes of `Temporal`, whose values are text in JSON. For clients the type is text with a
// format, so they do not need these classes.

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";

type Limits = Extract<TypeShape, { kind: "limited" }>["limits"];

const DATE = "\\d{4}-\\d\\d-\\d\\d";
const TIME = "\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?";
const ZONE = "(?:Z|[+-]\\d\\d:\\d\\d)\\[[\\w/+:-]{1,64}\\]";

const LIMITS: Readonly<Record<string, Limits>> = {
  Duration: { format: "duration" },
  Instant: { format: "date-time" },
  PlainDate: { format: "date" },
  PlainDateTime: { pattern: `^${DATE}T${TIME}$` },
  PlainMonthDay: { pattern: "^\\d\\d-\\d\\d$" },
  PlainTime: { pattern: `^${TIME}$` },
  PlainYearMonth: { pattern: "^\\d{4}-\\d\\d$" },
  ZonedDateTime: { pattern: `^${DATE}T${TIME}${ZONE}$` },
};

/** Returns the shape of a `Temporal` class; null for other types. */
export function readTemporal(type: ts.Type): TypeShape | null {
  const symbol = type.getSymbol();
  if (symbol === undefined || !Object.hasOwn(LIMITS, symbol.name)) return null;
  const isOfTemporal = symbol.declarations?.some(({ parent }) => {
    return ts.isModuleBlock(parent) && parent.parent.name.text === "Temporal";
  });
  if (!isOfTemporal) return null;
  const limits = LIMITS[symbol.name]!;
  return { kind: "limited", base: { kind: "str" }, limits, temporal: symbol.name };
}

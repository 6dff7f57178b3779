// Compares the errors that clients know by name. An added or removed error breaks no call, but the
// details of a known error must still match the type that clients were generated with.

import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "../argspec.js";
import { isTyped, listStatuses } from "../error-kinds.js";
import { type Change, makeChange, type Side } from "./change.js";
import { findIncompatibility, type Type } from "./incompatibility.js";

export function compareErrors(before: Side, after: Side): readonly Change[] {
  const [former, present] = [listStatuses(before.operation), listStatuses(after.operation)];
  const plugin = after.operation.name;
  const subject = (kind: string) => ({ plugin, parameter: kind });
  const changes: Change[] = [];
  for (const [kind, statuses] of former) {
    const now = present.get(kind);
    const was = statuses.join(", ");
    if (now === undefined) changes.push(makeChange("error-removed", subject(kind), was));
    else if (now.some((status) => !statuses.includes(status))) {
      changes.push(makeChange("error-status", subject(kind), was, now.join(", ")));
    }
    const details = now && compareDetails(typeOf(before, kind), typeOf(after, kind));
    if (!details) continue;
    const { rule, path, from, to } = details;
    changes.push(makeChange(rule, { ...subject(kind), path }, from, to));
  }
  for (const [kind, statuses] of present) {
    if (!former.has(kind)) {
      changes.push(makeChange("error-added", subject(kind), null, statuses.join(", ")));
    }
  }
  const [was, is] = [before, after].map(({ operation }) =>
    operation.errors.flatMap((error) => {
      const isCompared =
        !isTyped(error) || (former.has(error.exception) && present.has(error.exception));
      return isCompared ? [[error.exception, error.description]] : [];
    }),
  );
  if (!isDeepStrictEqual(was, is)) {
    changes.push(makeChange("plugin-errors", { plugin, parameter: null }));
  }
  return changes;
}

/** Type of the details in all errors of this kind; null if one of them has none. */
function typeOf({ operation, definitions }: Side, kind: string): Type | null {
  const errorsOfKind = operation.errors.filter(isTyped).filter((error) => error.exception === kind);
  const schemas = errorsOfKind.flatMap(({ details }) => (details === undefined ? [] : [details]));
  if (schemas.length < errorsOfKind.length) return null;
  const schema: JsonSchema = schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
  return { schema, definitions };
}

function compareDetails(before: Type | null, after: Type | null) {
  // Clients that were generated without details never read them.
  if (before === null) return null;
  const present = after ?? { schema: {}, definitions: before.definitions };
  const incompatibility = findIncompatibility(present, before, "tolerant");
  if (incompatibility === null) return null;
  const { path, source, target } = incompatibility;
  return { rule: "error-details", path: `.details${path}`, from: target, to: source } as const;
}

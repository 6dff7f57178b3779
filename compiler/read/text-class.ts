// Classes whose values are sent as text or bytes: Date and URL in one format, cursors of pages, and
// files of forms.

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import { isPackageSymbol } from "./package-symbols.js";

export type TextClass = "Date" | "URL" | "Cursor" | "UploadedFile";

/** A member of each class, to distinguish it from other types of the same name. */
const MEMBERS: Readonly<Record<"Date" | "URL", string>> = {
  Date: "toISOString",
  URL: "searchParams",
};

/** Returns which of the classes a type is, or null. */
export function readTextClass(type: ts.Type): TextClass | null {
  for (const own of ["Cursor", "UploadedFile"] as const) {
    if (isPackageSymbol(type.getSymbol(), own)) return own;
  }
  const name = type.getSymbol()?.name;
  if (name !== "Date" && name !== "URL") return null;
  return type.getProperty(MEMBERS[name]) === undefined ? null : name;
}

/** Returns the same for the type of a parameter, which can be null or absent. */
export function readTextParameter(type: ts.Type): TextClass | null {
  const members = type.isUnion() ? type.types : [type];
  const { Null, Undefined } = ts.TypeFlags;
  const [only, ...others] = members.filter(({ flags }) => !(flags & (Null | Undefined)));
  return only === undefined || others.length > 0 ? null : readTextClass(only);
}

export function textShape(name: TextClass): TypeShape {
  if (name === "UploadedFile") return { kind: "bytes" };
  if (name === "Cursor") return { kind: "str" };
  const format = name === "Date" ? "date-time" : "uri";
  return { kind: "limited", base: { kind: "str" }, limits: { format } };
}

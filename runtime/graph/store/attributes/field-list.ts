// The attributes that are fields of an entry, in display order.

import type { PropertyValue } from "../property-values.js";
import {
  ANCHOR,
  ANCHOR_INTERNALID,
  DIRECTION,
  HAMMING,
  MODIFIER,
  RANK,
  RELATIONSHIP,
  SIMILARITY,
  TEXT,
  VALUE,
} from "./arc-attributes.js";
import type { Attribute } from "./attribute.js";
import {
  DEG,
  DESCRIPTOR,
  GENERATION,
  HANDLE,
  ID,
  IDEG,
  INTERNALID,
  ODEG,
  PROPERTIES,
  RAW,
  TMC,
  TMM,
  TMX,
  TYPE,
  VECTOR,
} from "./vertex-attributes.js";

export const FIELD_LIST = [
  ANCHOR,
  ANCHOR_INTERNALID,
  DIRECTION,
  RELATIONSHIP,
  MODIFIER,
  VALUE,
  ID,
  INTERNALID,
  TYPE,
  DEG,
  IDEG,
  ODEG,
  VECTOR,
  PROPERTIES,
  RANK,
  SIMILARITY,
  HAMMING,
  TEXT,
  TMC,
  TMM,
  TMX,
  DESCRIPTOR,
  HANDLE,
  GENERATION,
  RAW,
] as const;

type List = typeof FIELD_LIST;
type NameOf<A> = A extends Attribute<infer F> ? F : never;

type NamesOf<L extends readonly unknown[]> = { -readonly [I in keyof L]: NameOf<L[I]> };

/** Field names in display order. */
export type FieldOrder = NamesOf<List>;
/** Value type of each field; properties in dictionary form. */
export type FieldValues = {
  [A in List[number] as NameOf<A> & string]: A extends Attribute<"properties">
    ? { readonly [key: string]: PropertyValue }
    : A extends Attribute<string, infer V>
      ? V
      : never;
};

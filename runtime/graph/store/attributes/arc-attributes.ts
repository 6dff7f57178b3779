// Attributes of the arc that led to a hit, and of the hit itself.

import * as F from "../../model/constants.js";
import { ArcFlag } from "../../model/modifiers.js";
import { NO_HAMMING, NO_SIMILARITY } from "../../vectors/probe.js";
import { arc } from "./attribute.js";

const DIRECTIONS = [F.D_OUT, F.D_IN, F.D_BOTH];

export const ANCHOR = arc({ field: "anchor", bit: F.F_ANCHOR }, ({ store, tail }) =>
  store.ids.idOf(tail),
);
export const ANCHOR_INTERNALID = arc(
  { field: "anchor-internalid", bit: F.F_ANCHOR_OBID },
  ({ store, tail }) => store.ids.internalIdOf(tail),
);
export const RELATIONSHIP = arc(
  {
    ...{ field: "relationship", bit: F.F_REL, name: ".arc.type" },
    ...{ type: "int", doc: "code of the relationship" },
  },
  (hit) => hit.relationship,
  ({ word1 }) => word1 >>> 16,
);
export const DIRECTION = arc(
  {
    ...{ field: "direction", bit: F.F_ARCDIR, name: ".arc.dir" },
    ...{ type: "int", doc: "direction, D_*" },
  },
  (hit) => hit.direction,
  ({ level, side }) => (level === 0 ? 0 : DIRECTIONS[side]!),
);
export const MODIFIER = arc(
  {
    ...{ field: "modifier", bit: F.F_MOD, name: ".arc.mod" },
    ...{ type: "int", doc: "modifier, M_*" },
  },
  (hit) => hit.modifier,
  ({ word1 }) => (word1 >>> 8) & 0x1f,
);
export const VALUE = arc({ field: "value", bit: F.F_VAL, kind: "arc value" }, (hit) => hit.value);
/** Here the value of an arc without one is 0. */
const ARC_VALUE = arc(
  { field: null, name: ".arc.value", type: "num", doc: "arc value; 0 for M_STAT" },
  (hit) => (hit.hasValue ? hit.value : 0),
  ({ number }) => number,
);
const DISTANCE = arc(
  { field: null, name: ".arc.dist", type: "int", doc: "distance from the anchor in levels" },
  (hit) => hit.level,
  ({ level }) => level,
);
/** A synthetic arc (one per head, for all its arcs) is never part of a result. */
const IS_SYNTHETIC = arc(
  {
    field: null,
    name: ".arc.issyn",
    type: "int",
    doc: "1 in the extra evaluation of the synthetic arc to a head",
  },
  () => 0,
  ({ isSynthetic }) => Number(isSynthetic),
);
const IS_FORWARD = arc(
  {
    ...{ field: null, name: ".arc.isfwd" },
    ...{ type: "int", doc: "1 for forward-only arcs" },
  },
  ({ word1 }) => word1 & ArcFlag.ForwardOnly,
  ({ word1 }) => word1 & ArcFlag.ForwardOnly,
);
export const RANK = arc(
  { field: "rankscore", bit: F.F_RANK, kind: "float", name: ".rank" },
  (hit) => hit.score,
);

export const SIMILARITY = arc(
  { field: "similarity", bit: F.F_SIM, kind: "float" },
  ({ probe, head }) => probe?.similarity(head) ?? NO_SIMILARITY,
);
export const HAMMING = arc(
  { field: "hamming-distance", bit: F.F_HAM, kind: "integer" },
  ({ probe, head }) => probe?.hamming(head) ?? NO_HAMMING,
);

export const TEXT = arc(
  { field: "text", bit: F.F_TEXT, kind: "float" },
  ({ textScore }) => textScore,
);

export const ARC_ATTRIBUTES = [
  ...[ANCHOR, ANCHOR_INTERNALID, RELATIONSHIP, DIRECTION, MODIFIER, VALUE, ARC_VALUE, DISTANCE],
  ...[IS_SYNTHETIC, IS_FORWARD, RANK, SIMILARITY, HAMMING, TEXT],
] as const;

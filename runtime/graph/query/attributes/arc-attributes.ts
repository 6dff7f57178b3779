// Attributes of the arc that led to a hit, and of the hit itself.

import * as F from "../../model/constants.js";
import { NO_HAMMING, NO_SIMILARITY } from "../../vectors/probe.js";
import { arc } from "./attribute.js";

export const ANCHOR = arc({ field: "anchor", bit: F.F_ANCHOR }, ({ store, tail }) =>
  store.ids.idOf(tail),
);
export const ANCHOR_INTERNALID = arc(
  { field: "anchor-internalid", bit: F.F_ANCHOR_OBID },
  ({ store, tail }) => store.ids.internalIdOf(tail),
);
export const DIRECTION = arc(
  { field: "direction", bit: F.F_ARCDIR, name: ".arc.dir" },
  (hit) => hit.direction,
);
export const RELATIONSHIP = arc(
  { field: "relationship", bit: F.F_REL, name: ".arc.type" },
  (hit) => hit.relationship,
);
export const MODIFIER = arc(
  { field: "modifier", bit: F.F_MOD, name: ".arc.mod" },
  (hit) => hit.modifier,
);
export const VALUE = arc({ field: "value", bit: F.F_VAL, kind: "arc value" }, (hit) => hit.value);
/** In expressions the value of an arc without one is 0. */
const ARC_VALUE = arc({ field: null, name: ".arc.value" }, (hit) => (hit.hasValue ? hit.value : 0));
const DISTANCE = arc({ field: null, name: ".arc.dist" }, (hit) => hit.level);
/** A synthetic arc (one per head, for all its arcs) is never part of a result. */
const IS_SYNTHETIC = arc({ field: null, name: ".arc.issyn" }, () => 0);
const IS_FORWARD = arc({ field: null, name: ".arc.isfwd" }, (hit) => hit.word1 & 1);
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
  ...[ANCHOR, ANCHOR_INTERNALID, DIRECTION, RELATIONSHIP, MODIFIER, VALUE, ARC_VALUE, DISTANCE],
  ...[IS_SYNTHETIC, IS_FORWARD, RANK, SIMILARITY, HAMMING, TEXT],
];

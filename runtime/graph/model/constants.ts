// Constants of graph queries under the names of the interface, with the values that peers exchange;
// sort constants are in runtime/base/sort-constants.ts.

import type { Constant } from "../../base/constant-kind.js";

/** A `D_` constant. */
export type ArcDirection = Constant<"direction">;
/** An `M_` constant, also with M_AUTOTM and M_FWDONLY. */
export type ArcModifier = Constant<"modifier">;
/** A `V_` constant. */
export type ValueComparison = Constant<"comparison">;

/** A mask of `F_` constants. */
export type FieldMask = Constant<"field">;

/** Direction of arcs as seen from a vertex. */
export const D_ANY: 0 & ArcDirection = 0;
export const D_IN: 1 & ArcDirection = 1;
export const D_OUT: 2 & ArcDirection = 2;
export const D_BOTH: 3 & ArcDirection = 3;

/** Arc modifiers: kind of the value of an arc, and the effect of connecting again. */
export const M_ANY: ArcModifier = 0;
/** Its code is 1, like D_IN; bit 0x20 distinguishes them where both are allowed. */
export const M_STAT: ArcModifier = 33;
export const M_LSH: ArcModifier = 4;
export const M_INT: ArcModifier = 5;
export const M_UINT: ArcModifier = 6;
export const M_CNT: ArcModifier = 8;
export const M_INTAGGR: ArcModifier = 10;
export const M_TMC: ArcModifier = 12;
export const M_TMM: ArcModifier = 13;
export const M_TMX: ArcModifier = 14;
export const M_SIM: ArcModifier = 18;
export const M_DIST: ArcModifier = 19;
export const M_FLT: ArcModifier = 23;
export const M_ACC: ArcModifier = 25;
export const M_FLTAGGR: ArcModifier = 27;
/** Flag: also maintain the arc's creation and modification times. */
export const M_AUTOTM: ArcModifier = 256;
/** Flag: the terminal does not list the arc. */
export const M_FWDONLY: ArcModifier = 2048;

/** Value conditions. */
export const V_ANY: ValueComparison = 0;
/** Flag that negates another condition: `V_RANGE | V_NOT` is V_NRANGE. */
export const V_NOT: ValueComparison = 2;
export const V_LTE: ValueComparison = 4;
export const V_GT: ValueComparison = 6;
export const V_GTE: ValueComparison = 8;
export const V_LT: ValueComparison = 10;
export const V_EQ: ValueComparison = 12;
export const V_NEQ: ValueComparison = 14;
export const V_RANGE: ValueComparison = 16;
export const V_NRANGE: ValueComparison = 18;
/** Compared with the value of the arc that led to the vertex. */
export const V_DYN_DELTA: ValueComparison = 24;
export const V_DYN_RATIO: ValueComparison = 25;
export const V_DYN_LTE: ValueComparison = 26;
export const V_DYN_GT: ValueComparison = 27;
export const V_DYN_GTE: ValueComparison = 28;
export const V_DYN_LT: ValueComparison = 29;
export const V_DYN_EQ: ValueComparison = 30;
export const V_DYN_NEQ: ValueComparison = 31;

/** Collect rules: arcs of a level are excluded, included, or only traversed. */
export const C_NONE = false;
export const C_COLLECT = true;
export const C_SCAN = [false, "*"] as const;

/** Fields of a result entry. */
export const F_NONE = 0;
export const F_ANCHOR = 1;
export const F_ANCHOR_OBID = 2;
export const F_ID = 4;
export const F_OBID = 8;
export const F_TYPE = 0x10;
export const F_NAMES = 0x1f;
export const F_DEG = 0x20;
export const F_IDEG = 0x40;
export const F_ODEG = 0x80;
export const F_DEGREES = 0xe0;
export const F_ARCDIR = 0x100;
export const F_REL = 0x200;
export const F_MOD = 0x400;
export const F_VAL = 0x800;
export const F_PRED = 0xf00;
export const F_ARC = 0xf04;
export const F_AARC = 0xf05;
export const F_DEFAULT = 0xf05;
export const F_VEC = 0x1000;
export const F_PROP = 0x2000;
export const F_PROPS = 0x3000;
export const F_RANK = 0x1_0000;
export const F_SIM = 0x2_0000;
export const F_HAM = 0x4_0000;
export const F_RLV = 0x7_0000;
export const F_TEXT = 0x8_0000;
export const F_TMC = 0x10_0000;
export const F_TMM = 0x20_0000;
export const F_TMX = 0x40_0000;
export const F_TSTAMP = 0x70_0000;
export const F_DESCR = 0x100_0000;
export const F_ADDR = 0x200_0000;
export const F_HANDLE = 0x400_0000;
export const F_RAW = 0x800_0000;
export const F_DETAILS = 0xf00_0000;
export const F_ALL = 259_473_407;

/** Format of result entries and additional output. Larger than 31 bits: test with `>>> 0`. */
export const R_SIMPLE = 0;
export const R_STR = 0x1000_0000;
export const R_LIST = 0x2000_0000;
export const R_DICT = 0x3000_0000;
export const R_TIMING = 0x4000_0000;
export const R_COUNTS = 0x8000_0000;
export const R_METAS = 0xc000_0000;
export const R_DEFAULT = 0x7000_0000;

/** Seconds since 1970. */
export const T_MIN = 1;
export const T_MAX = 4_102_444_799;
export const T_NEVER = 4_102_444_800;

/** Bytes of UTF-8 of an id, a name or a string. */
export const MAX_STRING = 131_000;

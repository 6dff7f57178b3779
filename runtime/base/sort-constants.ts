// Sort orders of results, the same for graph queries and for PluginResponse: one kind, combined by
// `|` with a direction. The values are part of the interface.

import type { Constant } from "./constant-kind.js";

/** An `S_` constant, or several combined by `|`. */
export type SortOrder = Constant<"sort">;

export const S_NONE: SortOrder = 0;
export const S_ASC: SortOrder = 0x1;
export const S_DESC: SortOrder = 0x2;

export const S_VAL: SortOrder = 0x10;
export const S_ADDR: SortOrder = 0x20;
export const S_ANCHOR_OBID: SortOrder = 0x40;
export const S_ANCHOR: SortOrder = 0x60;
export const S_NATIVE: SortOrder = 0x80;
export const S_RANDOM: SortOrder = 0xa0;
export const S_RANK: SortOrder = 0xc0;
export const S_OBID: SortOrder = 0x100;
export const S_ID: SortOrder = 0x200;
export const S_DEG: SortOrder = 0x300;
export const S_IDEG: SortOrder = 0x400;
export const S_ODEG: SortOrder = 0x500;
export const S_HAM: SortOrder = 0x600;
export const S_SIM: SortOrder = 0x700;
export const S_TMC: SortOrder = 0x800;
export const S_TMM: SortOrder = 0x900;
export const S_TMX: SortOrder = 0xa00;
export const S_TEXT: SortOrder = 0xb00;

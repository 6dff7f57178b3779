// Sort orders of results, the same for graph queries and for PluginResponse: one kind, combined by
// `|` with a direction. The values are part of the interface.

export const S_NONE = 0;
export const S_ASC = 0x1;
export const S_DESC = 0x2;

export const S_VAL = 0x10;
export const S_ADDR = 0x20;
export const S_ANCHOR_OBID = 0x40;
export const S_ANCHOR = 0x60;
export const S_NATIVE = 0x80;
export const S_RANDOM = 0xa0;
export const S_RANK = 0xc0;
export const S_OBID = 0x100;
export const S_ID = 0x200;
export const S_DEG = 0x300;
export const S_IDEG = 0x400;
export const S_ODEG = 0x500;
export const S_HAM = 0x600;
export const S_SIM = 0x700;
export const S_TMC = 0x800;
export const S_TMM = 0x900;
export const S_TMX = 0xa00;
export const S_TEXT = 0xb00;

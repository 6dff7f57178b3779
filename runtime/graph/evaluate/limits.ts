// What bounds an expression before it is run. Texts come from outside: no bound may be left out.

/** Bytes of a text in plugin code, and over HTTP. */
export const MAX_TEXT = 131_000;
export const MAX_HTTP_TEXT = 16_384;
export const MAX_TOKENS = 20_000;
export const MAX_NODES = 2_000;
export const MAX_DEPTH = 200;
export const MAX_ARGUMENTS = 256;
/** Characters of all texts that one query may make, and of each: work upon it is short. */
export const MAX_MADE_CHARACTERS = 16 * 1024 * 1024;
export const MAX_MADE_TEXT = 64 * 1024;
/** Cells of a memory, in plugin code and over HTTP. */
export const MAX_CELLS = 2 ** 24;
export const MAX_HTTP_CELLS = 2 ** 16;

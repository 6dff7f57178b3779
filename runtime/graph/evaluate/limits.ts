// Limits of expressions, which are checked before evaluation because texts may be untrusted.

/** Maximum size of a text in bytes, in plugin code and over HTTP. */
export const MAX_TEXT = 131_000;
export const MAX_HTTP_TEXT = 16_384;
export const MAX_TOKENS = 20_000;
export const MAX_NODES = 2_000;
export const MAX_DEPTH = 200;
export const MAX_ARGUMENTS = 256;
/** Maximum number of characters a query may create in total, and per string. */
export const MAX_CREATED_CHARACTERS = 16 * 1024 * 1024;
export const MAX_CREATED_TEXT = 64 * 1024;
/** Maximum number of memory cells, in plugin code and over HTTP. */
export const MAX_CELLS = 2 ** 24;
export const MAX_HTTP_CELLS = 2 ** 16;
/** Registers R1 to R4. */
export const MIN_CELLS = 4;

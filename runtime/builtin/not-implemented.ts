// Paths of the interface that this server knows of and cannot serve yet: answered with 501, so that
// a caller can tell them from a misspelt one. There are none at this time.

export const notImplemented: ReadonlySet<string> = new Set();

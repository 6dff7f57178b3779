// Types of node-command.mjs, which also runs without a TypeScript loader.

/** Arguments of servers, which then begin with V8's code of the build. */
export const COMPILED_CODE: readonly string[];
/** The program and its first arguments; the script and its arguments follow. */
export function nodeCommand(): [program: string, ...args: string[]];
/** Node without a loader, for processes that do not serve. */
export function plainNode(): string;

// Types of transpiled.mjs.

/** The transpiled module of a TypeScript module, for threads and processes of tests. */
export function transpiledModule(source: URL): URL;

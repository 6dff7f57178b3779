// Types of builtin-modules.mjs, for its test.

export function withoutBuiltinImports(code: string): string;

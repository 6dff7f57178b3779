// Types of python-runtime.mjs, which the build runs without a TypeScript loader.

/** @param root folder of the package */
export function pythonRuntime(root: string): string;

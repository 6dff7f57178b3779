// The option `--tsconfig` of all commands that compile.

import { stringSetting } from "./option.js";

export const TSCONFIG_OPTION = {
  kind: stringSetting("<file>"),
  help: "TypeScript configuration file (default: tsconfig.json)",
} as const;

/** Returns the option for the compiler, where a missing option must be absent. */
export function resolveTsconfig(tsconfig: string | undefined): { readonly tsconfig?: string } {
  return tsconfig === undefined ? {} : { tsconfig };
}

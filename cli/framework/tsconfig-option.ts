// The option `--tsconfig` of all commands that compile.

import { stringSetting } from "./option.js";

export const TSCONFIG_OPTION = {
  kind: stringSetting("<file>"),
  help: "TypeScript configuration file (default: tsconfig.json)",
} as const;

/** In the compiler's form: absent if it was not given. */
export function resolveTsconfig(tsconfig: string | undefined): { readonly tsconfig?: string } {
  return tsconfig === undefined ? {} : { tsconfig };
}

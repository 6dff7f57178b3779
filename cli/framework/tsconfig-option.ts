// The option of all commands that compile.

import { stringSetting } from "./option.js";

export const TSCONFIG_OPTION = {
  kind: stringSetting("<file>"),
  help: "TypeScript configuration file (default: tsconfig.json)",
} as const;

/** As the compiler takes it: nothing where nothing was given. */
export function resolveTsconfig(tsconfig: string | undefined): { readonly tsconfig?: string } {
  return tsconfig === undefined ? {} : { tsconfig };
}

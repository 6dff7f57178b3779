// Warns about scopes in the configuration that have no effect because `auth` is missing.

import type { ResolvedConfig } from "../../runtime/settings/config-rule.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ConfigLocations, ConfigPath } from "../read/config-locations.js";

/** @param locate returns the locations in the configuration; called for a warning only */
export async function checkConfigScopes(
  { auth, builtins, graphs }: ResolvedConfig,
  locate: () => Promise<ConfigLocations>,
): Promise<Diagnostic[]> {
  if (auth.length > 0) return [];
  const groups: [path: ConfigPath, scopes: Readonly<Record<"read" | "change", string | null>>][] = [
    [["builtins"], builtins],
    ...Object.entries(graphs).map(([name, graph]) => [["graphs", name], graph] as never),
  ];
  const paths = groups.flatMap(([path, scopes]) =>
    USES.filter((use) => scopes[use] !== null).map((use) => [...path, use]),
  );
  if (paths.length === 0) return [];
  const locations = await locate();
  return paths.map((path) => ({
    code: "SVC1253",
    severity: "warning",
    ...locations.find(path, true),
    message: `\`${path.join(".")}\` has no effect without \`auth\`: any client passes`,
    help: "set `auth` in svc.config.ts",
  }));
}

const USES = ["read", "change"] as const;

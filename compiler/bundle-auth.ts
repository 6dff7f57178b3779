// Bundles the authentication handlers apart from the plugins: the IO thread loads them, and must
// not run the modules of plugins.

import { AUTH_FILE, BUILD_FOLDER } from "../runtime/base/build-folder.js";
import type { Bundle } from "./bundle.js";
import { toDiagnostic } from "./bundle.js";
import { HEADER, quote } from "./emit/text.js";
import { PackageImporters, packageImports } from "./package-imports.js";

/**
 * @param references handlers as `module#export`; none: nothing is bundled
 * @returns the bundle of one file that exports `handlers`
 */
export async function bundleAuth(
  projectDir: string,
  tsconfig: string,
  references: readonly string[],
): Promise<Bundle> {
  if (references.length === 0) return { files: new Map(), inputs: [], diagnostics: [] };
  const { build } = await import("esbuild");
  try {
    const { outputFiles, metafile, warnings } = await build({
      absWorkingDir: projectDir,
      stdin: { contents: emitEntry(references), resolveDir: projectDir, sourcefile: "svc:auth" },
      outfile: `${BUILD_FOLDER}/${AUTH_FILE}`,
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
      conditions: [],
      target: "node20",
      charset: "utf8",
      ...(tsconfig !== "tsconfig.json" && { tsconfig }),
      logLevel: "silent",
      plugins: [packageImports(new PackageImporters())],
    });
    return {
      files: new Map([[AUTH_FILE, `${HEADER}\n${outputFiles[0]!.text}`]]),
      inputs: Object.keys(metafile.inputs).filter((path) => path !== "svc:auth"),
      diagnostics: warnings.map((message) => toDiagnostic(message, "warning")),
    };
  } catch (error) {
    const { errors } = error as { errors?: Parameters<typeof toDiagnostic>[0][] };
    if (errors === undefined) throw error;
    const diagnostics = errors.map((message) => toDiagnostic(message, "error"));
    return { files: new Map(), inputs: [], diagnostics };
  }
}

function emitEntry(references: readonly string[]): string {
  const imports = references.map((reference, at) => {
    const [module = "", name = ""] = reference.split("#");
    return `import { ${name} as handler${at} } from ${quote(`./${module}`)};\n`;
  });
  const names = references.map((_, at) => `handler${at}`).join(", ");
  return `${imports.join("")}export const handlers = [${names}];\n`;
}

// Bundles exports for threads that do not load plugins: the handlers of `auth` for the IO thread,
// and the schema of `env` for the main thread.

import { BUILD_FOLDER } from "../runtime/base/build-folder.js";
import { type Bundle, failedBundle, NODE_MODULE, toDiagnostic } from "./bundle.js";
import { HEADER, quote } from "./emit/text.js";
import { moduleLocations } from "./locations-plugin.js";
import { PackageImporters, packageImports } from "./package-imports.js";

/** Name of the entry point in messages. */
const ENTRY = "svc:exports";

/**
 * @param references exports as `module#export`; empty: nothing is bundled
 * @param file name of the bundle
 * @returns a bundle whose only export is the list `exported`
 */
export async function bundleExports(
  projectDir: string,
  tsconfig: string,
  references: readonly string[],
  file: string,
): Promise<Bundle> {
  if (references.length === 0) return { files: new Map(), inputs: [], diagnostics: [] };
  const { build } = await import("esbuild");
  try {
    const { outputFiles, metafile, warnings } = await build({
      absWorkingDir: projectDir,
      stdin: { contents: emitEntry(references), resolveDir: projectDir, sourcefile: ENTRY },
      outfile: `${BUILD_FOLDER}/${file}`,
      ...NODE_MODULE,
      ...(tsconfig !== "tsconfig.json" && { tsconfig }),
      plugins: [moduleLocations(projectDir), packageImports(new PackageImporters())],
    });
    return {
      files: new Map([[file, `${HEADER}\n${outputFiles[0]!.text}`]]),
      inputs: Object.keys(metafile.inputs).filter((path) => path !== ENTRY),
      diagnostics: warnings.map((message) => toDiagnostic(message, "warning")),
    };
  } catch (error) {
    return failedBundle(error);
  }
}

function emitEntry(references: readonly string[]): string {
  const imports = references.map((reference, at) => {
    const [module = "", name = ""] = reference.split("#");
    return `import { ${name} as export${at} } from ${quote(`./${module}`)};\n`;
  });
  const names = references.map((_, at) => `export${at}`).join(", ");
  return `${imports.join("")}export const exported = [${names}];\n`;
}

// Bundles the authentication handlers apart from the plugins: the IO thread loads them, and must
// not run the modules of plugins.

import { AUTH_FILE, BUILD_FOLDER } from "../runtime/base/build-folder.js";
import { type Bundle, failedBundle, NODE_MODULE, toDiagnostic } from "./bundle.js";
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
      ...NODE_MODULE,
      ...(tsconfig !== "tsconfig.json" && { tsconfig }),
      plugins: [packageImports(new PackageImporters())],
    });
    return {
      files: new Map([[AUTH_FILE, `${HEADER}\n${outputFiles[0]!.text}`]]),
      inputs: Object.keys(metafile.inputs).filter((path) => path !== "svc:auth"),
      diagnostics: warnings.map((message) => toDiagnostic(message, "warning")),
    };
  } catch (error) {
    return failedBundle(error);
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

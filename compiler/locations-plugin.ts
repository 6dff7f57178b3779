// Preserves the locations of modules in a bundle; see `module-locations.ts`.

import { readFile } from "node:fs/promises";
import type { Loader, OnLoadResult, Plugin } from "esbuild";
import { locateModule } from "./module-locations.js";

/** @param edit changes the text of a module further; null leaves it unchanged */
export function moduleLocations(
  projectDir: string,
  edit: (path: string, text: string) => string | null = () => null,
): Plugin {
  const load = async (path: string): Promise<OnLoadResult | null> => {
    const text = await readFile(path, "utf8").catch(() => null);
    // The name differs in case, or the file was removed: esbuild reports the import.
    if (text === null) return null;
    const located = await locateModule(projectDir, path, text);
    const { text: contents, warnings } = located ?? { text, warnings: [] };
    const edited = edit(path, contents);
    if (located === null && edited === null) return null;
    return { contents: edited ?? contents, loader: loaderOf(path), warnings: [...warnings] };
  };
  return {
    name: "svc-locations",
    setup: (build) => {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, ({ path }) => load(path));
    },
  };
}

function loaderOf(path: string): Loader {
  const ending = path.slice(path.lastIndexOf(".") + 1).replace(/^[cm]/, "");
  return ending as "js" | "jsx" | "ts" | "tsx";
}

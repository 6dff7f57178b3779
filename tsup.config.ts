import { defineConfig, type Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/** What the compiler uses of ts-morph. */
const TS_MORPH_EXPORTS = ["Project", "ts"];

/**
 * Node searches a CommonJS package for export names when it is imported, which for ts-morph takes
 * 75 ms; required, it is not searched.
 */
const requireTsMorph: EsbuildPlugin = {
  name: "require-ts-morph",
  setup(build) {
    build.onResolve({ filter: /^ts-morph$/ }, () => ({ path: "ts-morph", namespace: "required" }));
    build.onLoad({ filter: /.*/, namespace: "required" }, () => ({
      contents: `import { createRequire } from "node:module";
        const tsMorph = createRequire(import.meta.url)("ts-morph");
        ${TS_MORPH_EXPORTS.map((name) => `export const ${name} = tsMorph.${name};`).join("\n")}`,
    }));
  },
};

// Splitting keeps every class in one chunk, so that it exists once per thread whichever entry
// loads it. Declarations come from tsc (see scripts/build.mjs): tsup cannot drive typescript 7.
export default defineConfig({
  entry: {
    index: "runtime/index.ts",
    config: "runtime/config.ts",
    convert: "runtime/plugin/convert.ts",
    compiler: "compiler/index.ts",
    cli: "cli/main.ts",
    "threads/io": "runtime/threads/io.ts",
    "threads/executor": "runtime/threads/executor.ts",
    "threads/admin": "runtime/threads/admin.ts",
  },
  format: ["esm"],
  target: "node20",
  platform: "node",
  splitting: true,
  sourcemap: true,
  dts: false,
  clean: false,
  silent: true,
  noExternal: ["ts-morph"],
  esbuildPlugins: [requireTsMorph],
});

import { defineConfig } from "tsup";

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
  },
  format: ["esm"],
  target: "node20",
  platform: "node",
  splitting: true,
  sourcemap: true,
  dts: false,
  clean: false,
  silent: true,
});

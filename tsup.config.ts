import { join } from "node:path";
import { defineConfig, type Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/** The compiler needs only TypeScript of ts-morph, whose other modules take 60 ms to load. */
const REPLACED = { "ts-morph": "compiler/read/load-typescript.ts" };

const loadTypeScript: EsbuildPlugin = {
  name: "load-typescript",
  setup(build) {
    const path = join(import.meta.dirname, REPLACED["ts-morph"]);
    build.onResolve({ filter: /^ts-morph$/ }, () => ({ path }));
  },
};

/**
 * Of json-schema-to-typescript only what turns schemas into text becomes part of the build: not the
 * formatter, nor what loads references from files and servers. It requires a few modules of Node,
 * which code that is no CommonJS has to import.
 */
const slimTypeGenerator: EsbuildPlugin = {
  name: "slim-type-generator",
  setup(build) {
    const unused = "prettier|js-yaml|@apidevtools/json-schema-ref-parser";
    build.onResolve({ filter: new RegExp(`^(${unused})$`) }, ({ path }) => {
      return { path, namespace: "unused" };
    });
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: UNUSED }));
    build.onResolve({ filter: /^(fs|path|util)$/ }, ({ path, kind }) =>
      kind === "require-call" ? { path, namespace: "imported" } : { path, external: true },
    );
    build.onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({
      contents: `export * from "node:${path}";`,
    }));
  },
};

/** Schemas come without references: there is nothing to replace. */
const UNUSED = `
  exports.$RefParser = class { dereference(_path, schema) { return schema; } };
  exports.CORE_SCHEMA = { withTags() {} };`;

/**
 * The server of tools has two validators of schemas, and takes the one that makes code of them
 * unless told otherwise. Only the other one, of a seventh of the size, becomes part of the build.
 */
const oneValidator: EsbuildPlugin = {
  name: "one-validator",
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ resolveDir }) => {
      return { path: "shims", namespace: "one-validator", pluginData: resolveDir };
    });
    build.onLoad({ filter: /.*/, namespace: "one-validator" }, ({ pluginData: resolveDir }) => ({
      contents: `
        export { default as process } from "node:process";
        export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator }
          from "@modelcontextprotocol/server/validators/cf-worker";`,
      resolveDir,
    }));
  },
};

/** The ES modules of yaml: its CommonJS requires `process` at run time. */
const yamlModules: EsbuildPlugin = {
  name: "yaml-modules",
  setup(build) {
    build.onResolve({ filter: /^yaml$/ }, ({ resolveDir, kind }) => {
      return build.resolve("./node_modules/yaml/browser/dist/index.js", {
        resolveDir: import.meta.dirname,
        kind,
        importer: resolveDir,
      });
    });
  },
};

// Splitting keeps every class in one chunk, so that it exists once per thread whichever entry
// loads it. Declarations come from tsc (see scripts/build.mjs): tsup cannot drive typescript 7.
export default defineConfig({
  entry: {
    index: "runtime/index.ts",
    config: "runtime/settings/config.ts",
    system: "runtime/system/descriptor.ts",
    convert: "runtime/plugin/convert.ts",
    plugins: "runtime/plugins.ts",
    compiler: "compiler/index.ts",
    testing: "cli/testing/index.ts",
    cli: "cli/main.ts",
    standalone: "cli/standalone-main.ts",
    "threads/io": "runtime/threads/io.ts",
    "threads/executor": "runtime/threads/executor.ts",
    "threads/admin": "runtime/threads/admin.ts",
    "threads/algorithms": "runtime/threads/algorithms.ts",
    "threads/interconnect": "runtime/threads/interconnect.ts",
    "threads/test-instance": "cli/testing/instance-thread.ts",
    "threads/test-clock": "cli/testing/clock-thread.ts",
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
  // Where it is set, json-schema-to-typescript prints what it does.
  define: { "process.env.VERBOSE": "undefined" },
  esbuildPlugins: [loadTypeScript, slimTypeGenerator, oneValidator, yamlModules],
});

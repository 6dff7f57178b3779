// Analyzes plugin sources in tests: one call from source to records.

import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { ReadResult } from "../../compiler/read/file-reading.js";
import { PluginReader } from "../../compiler/read/plugin-reader.js";
import type { PluginRecord, UserParam } from "../../compiler/record/plugin-record.js";
import type { TypeShape } from "../../compiler/record/type-shape.js";
import { ProjectFixture } from "./project-fixture.js";

const IMPORTS = `
import { plugin, PluginRequest, PluginResponse, Graph, HttpResponse } from "svc-server";
import type { int, float, str, bytes, json } from "svc-server";
`;

/** Number of lines that `readSource` puts before a source. */
export const LINES_BEFORE = IMPORTS.split("\n").length - 1;

/** Analyzes one plugin file `p.ts` with all imports of the package, and further files. */
export function readSource(
  source: string,
  others: Readonly<Record<string, string>> = {},
): ReadResult {
  const project = new ProjectFixture({ "p.ts": IMPORTS + source, ...others });
  return new PluginReader(project.dir, ["p.ts"]).read();
}

export function pluginNamed(result: ReadResult, name: string): PluginRecord {
  const plugin = result.plugins.find((candidate) => candidate.name === name);
  if (!plugin) throw new Error(`no plugin ${name}; ${JSON.stringify(result.diagnostics, null, 1)}`);
  return plugin;
}

export function userParams(plugin: PluginRecord): UserParam[] {
  return plugin.params.filter((param) => param.kind === "user");
}

export function userParam(plugin: PluginRecord, name: string): UserParam {
  const param = userParams(plugin).find((candidate) => candidate.name === name);
  if (!param) throw new Error(`no parameter ${name}`);
  return param;
}

/** Analyzes types as parameters; declarations may precede them. Warnings are ignored. */
export function readTypes(types: Readonly<Record<string, string>>, declarations = "") {
  const params = Object.entries(types).map(([name, type]) => `${name}: ${type}`);
  const result = readSource(`${declarations}
/** @plugin */
export function f(request: PluginRequest, ${params.join(", ")}) { return null; }`);
  const errors = result.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 1));
  const plugin = pluginNamed(result, "f");
  const shapes: Record<string, [string, TypeShape]> = {};
  for (const name of Object.keys(types)) {
    const { wire, shape } = userParam(plugin, name);
    shapes[name] = [wire, shape];
  }
  return { shapes, types: result.types };
}

/** Code and underlined text of each diagnostic: `SVC1002 add`. */
export function marks(result: ReadResult, source: string): string[] {
  const lines = (IMPORTS + source).split("\n");
  return result.diagnostics.map(({ code, position, length }) => {
    const line = lines[position.line - 1] ?? "";
    return `${code} ${line.slice(position.column - 1, position.column - 1 + length)}`;
  });
}

export function codes(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code }) => code);
}

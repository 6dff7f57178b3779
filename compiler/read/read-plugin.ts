// Converts a declaration to a PluginRecord.

import type { PluginRecord } from "../record/plugin-record.js";
import { reportBlockingCalls } from "./blocking-calls.js";
import { forwardedPlugins } from "./forwarded-plugins.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import { readAccess } from "./read-access.js";
import { readBefore } from "./read-before.js";
import { readExamples } from "./read-examples.js";
import { readGuards } from "./read-guards.js";
import { readInline } from "./read-inline.js";
import { readJobParams, readJobResult } from "./read-job.js";
import { readParams } from "./read-params.js";
import { readResult } from "./read-result.js";
import { readThrown } from "./read-thrown.js";
import { readTimeout } from "./read-timeout.js";
import type { ShapeReader } from "./shape-reader.js";

/** Readers of the program's types, one for each direction. */
export interface ShapeReaders {
  readonly input: ShapeReader;
  readonly output: ShapeReader;
}

const NO_TYPES = new Map();

/** @param module path of the module that exports the plugin, relative to the project */
export function readPlugin(
  { input, output }: ShapeReaders,
  plugin: PluginDeclaration,
  module: string,
): PluginRecord {
  const { context } = input;
  context.resolvedTypes = plugin.resolved?.types ?? NO_TYPES;
  reportBlockingCalls(context, plugin);
  const isJob = plugin.job !== undefined;
  const params = isJob ? readJobParams(input, plugin) : readParams(input, plugin);
  const { result, async } = isJob ? readJobResult(context, plugin) : readResult(output, plugin);
  const before = readBefore(context, plugin);
  const hasBefore = before.length > 0;
  return {
    kind: "plugin",
    name: plugin.name,
    role: plugin.role,
    graph: plugin.graph,
    readonly: plugin.readonly,
    async,
    inline: readInline(context, plugin, { result, async, hasBefore }),
    before,
    guards: readGuards(context, plugin, before),
    ...readAccess(context, plugin),
    timeoutMs: readTimeout(context, plugin),
    job: plugin.job ?? null,
    module,
    exportPath: plugin.exportPath,
    position: context.position(plugin.nameNode),
    summary: plugin.doc.summary,
    description: plugin.doc.description,
    deprecated: plugin.doc.deprecated,
    deprecation: plugin.doc.deprecation,
    examples: readExamples(input, plugin, params),
    throws: readThrown(output, plugin),
    params,
    result,
    returns: plugin.doc.returns,
    forwards: forwardedPlugins(context, plugin),
  };
}

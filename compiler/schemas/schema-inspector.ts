// Refines the contract of plugins by their schemas. One inspector serves many builds and runs again
// only if the schemas' code changed.

import { Bundler } from "../bundle.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { addedExports } from "../emit/modules.js";
import { MODULES_FILE } from "../emit/project.js";
import { identifier, quote } from "../emit/text.js";
import type {
  ParamRecord,
  PluginRecord,
  SchemaLocation,
  SchemaValue,
} from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { type InspectedSchemas, inspectSchemas } from "./inspect-schemas.js";
import { describeRefinement, refineShape } from "./refine-shape.js";

export interface InspectedSchema {
  readonly plugins: readonly PluginRecord[];
  /** Named types, for the contract. */
  readonly types: TypeTable;
  readonly diagnostics: readonly Diagnostic[];
}

export class SchemaInspector {
  readonly #projectDir: string;
  readonly #tsconfig: string | null;
  #bundler: Bundler | null = null;
  #code = "";
  #answers: InspectedSchemas = { schemas: [], fault: null };

  constructor(projectDir: string, tsconfig: string | null) {
    this.#projectDir = projectDir;
    this.#tsconfig = tsconfig;
  }

  async inspect(plugins: readonly PluginRecord[], types: TypeTable): Promise<InspectedSchema> {
    const values = new Map<string, SchemaValue>();
    for (const { schema } of plugins.flatMap(placesOf)) values.set(schemaKey(schema), schema);
    if (values.size === 0) return { plugins, types, diagnostics: [] };
    const { schemas, fault } = await this.#ask(plugins, values);
    if (fault !== null) return { plugins, types, diagnostics: [inspectionFault(plugins, fault)] };
    const byKey = new Map([...values.keys()].map((key, index) => [key, schemas[index]]));
    const table: Record<string, TypeTable[string]> = { ...types };
    const refined = plugins.map((plugin) => ({
      ...plugin,
      params: plugin.params.map((param) => refineParam(param, byKey, table)),
    }));
    return { plugins: refined, types: table, diagnostics: [] };
  }

  async close(): Promise<void> {
    await this.#bundler?.close();
  }

  async #ask(
    plugins: readonly PluginRecord[],
    values: ReadonlyMap<string, SchemaValue>,
  ): Promise<InspectedSchemas> {
    this.#bundler ??= new Bundler(this.#projectDir, this.#tsconfig);
    const bundle = await this.#bundler.bundle(entryOf([...values.values()]), addedExports(plugins));
    const code = bundle.files.get(MODULES_FILE);
    // The bundle of the plugins has the same fault and reports it.
    if (code === undefined) return { schemas: [], fault: null };
    if (code !== this.#code) {
      this.#answers = await inspectSchemas(this.#projectDir, code, values.size);
      this.#code = code;
    }
    return this.#answers;
  }
}

function placesOf({ params }: PluginRecord): readonly SchemaLocation[] {
  return params.flatMap(({ schemas = [] }) => schemas);
}

function schemaKey({ module, exportPath }: SchemaValue): string {
  return `${module}#${exportPath}`;
}

/** Exports only the schemas, so that esbuild drops the rest of their modules. */
function entryOf(values: readonly SchemaValue[]): string {
  const lines = values.map(({ module, exportPath }, index) => {
    const name = identifier(exportPath.split(".")[0]!);
    return `import { ${name} as schema${index} } from ${quote(`./${module}`)};\n`;
  });
  const members = values.map(({ exportPath }, index) => {
    const [, ...names] = exportPath.split(".").map(identifier);
    return [`schema${index}`, ...names].join(".");
  });
  return `${lines.join("")}export const schemas = [${members.join(", ")}];\n`;
}

function refineParam(
  param: ParamRecord,
  schemas: ReadonlyMap<string, unknown>,
  table: Record<string, TypeTable[string]>,
): ParamRecord {
  const { schemas: places = [] } = param;
  if (param.shape === null || places.length === 0) return param;
  let refined = param.shape;
  let { description } = param;
  for (const { path, schema } of places) {
    const written = schemas.get(schemaKey(schema));
    refined = refineAt(refined, path, written, table);
    if (path.length === 0 && description === "") description = describeRefinement(written);
  }
  return { ...param, refined, description };
}

/** Returns the shape refined at one path; for named types the table is refined. */
function refineAt(
  shape: TypeShape,
  path: SchemaLocation["path"],
  written: unknown,
  table: Record<string, TypeTable[string]>,
): TypeShape {
  if (path.length === 0 && shape.kind !== "ref") return refineShape(shape, written);
  const [step, ...rest] = path;
  if (shape.kind === "ref") {
    const named = table[shape.name]!;
    const { description, deprecated } = named;
    const texts = {
      ...(description !== undefined && { description }),
      ...(deprecated && { deprecated }),
    };
    table[shape.name] = { ...refineAt(named, path, written, table), ...texts };
  } else if (shape.kind === "array" && step === null) {
    return { ...shape, items: refineAt(shape.items, rest, written, table) };
  } else if (shape.kind === "union") {
    const members = shape.members.map((member) => refineAt(member, path, written, table));
    return { ...shape, members };
  } else if (shape.kind === "object") {
    const properties = shape.properties.map((property) => {
      const isMeant = property.name === step;
      if (!isMeant) return property;
      const text =
        rest.length === 0 && property.description === "" ? describeRefinement(written) : "";
      const inner = refineAt(property.shape, rest, written, table);
      return { ...property, shape: inner, ...(text !== "" && { description: text }) };
    });
    return { ...shape, properties };
  }
  return shape;
}

function inspectionFault(plugins: readonly PluginRecord[], fault: string): Diagnostic {
  const [first] = plugins.flatMap(({ params }) => params.filter(({ schemas }) => schemas));
  return {
    code: "SVC1273",
    severity: "warning",
    position: first!.position,
    length: 1,
    message: `cannot inspect the schemas' limits: ${fault}`,
    help: "a separate schema module without run-time dependencies",
  };
}

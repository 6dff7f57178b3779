// Refines the contract of plugins with their schemas. An inspector serves many builds, and inspects
// the schemas again only after their code has changed.

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
import { type InspectedSchema, type InspectedSchemas, inspectSchemas } from "./inspect-schemas.js";
import { describeRefinement, refineShape } from "./refine-shape.js";

type InspectedByKey = ReadonlyMap<string, InspectedSchema | undefined>;

export interface RefinedContract {
  readonly plugins: readonly PluginRecord[];
  /** Named types, refined for the contract. */
  readonly types: TypeTable;
  readonly diagnostics: readonly Diagnostic[];
}

export class SchemaInspector {
  readonly #projectDir: string;
  readonly #tsconfig: string | null;
  #bundler: Bundler | null = null;
  #code = "";
  #inspected: InspectedSchemas = { schemas: [], fault: null };

  constructor(projectDir: string, tsconfig: string | null) {
    this.#projectDir = projectDir;
    this.#tsconfig = tsconfig;
  }

  async inspect(plugins: readonly PluginRecord[], types: TypeTable): Promise<RefinedContract> {
    const values = new Map<string, SchemaValue>();
    for (const { schema } of plugins.flatMap(listSchemaLocations))
      values.set(schemaKey(schema), schema);
    if (values.size === 0) return { plugins, types, diagnostics: [] };
    const { schemas, fault } = await this.#inspect(plugins, values);
    if (fault !== null) return { plugins, types, diagnostics: [inspectionFault(plugins, fault)] };
    const byKey = new Map([...values.keys()].map((key, index) => [key, schemas[index]]));
    const table: Record<string, TypeTable[string]> = { ...types };
    const refined = plugins.map((plugin) => ({
      ...plugin,
      params: plugin.params.map((param) => refineParam(param, byKey, table)),
    }));
    const diagnostics = plugins.flatMap(({ params }) =>
      params.flatMap((param) => textFault(param, byKey) ?? []),
    );
    return { plugins: refined, types: table, diagnostics };
  }

  async close(): Promise<void> {
    await this.#bundler?.close();
  }

  async #inspect(
    plugins: readonly PluginRecord[],
    values: ReadonlyMap<string, SchemaValue>,
  ): Promise<InspectedSchemas> {
    this.#bundler ??= new Bundler(this.#projectDir, this.#tsconfig);
    const bundle = await this.#bundler.bundle(
      createEntry([...values.values()]),
      addedExports(plugins),
    );
    const code = bundle.files.get(MODULES_FILE);
    // Bundling the plugins fails for the same reason, and reports it.
    if (code === undefined) return { schemas: [], fault: null };
    if (code !== this.#code) {
      this.#inspected = await inspectSchemas(this.#projectDir, code, values.size);
      this.#code = code;
    }
    return this.#inspected;
  }
}

function listSchemaLocations({ params }: PluginRecord): readonly SchemaLocation[] {
  return params.flatMap(({ schemas = [] }) => schemas);
}

function schemaKey({ module, exportPath }: SchemaValue): string {
  return `${module}#${exportPath}`;
}

/** Returns an entry module that exports only the schemas, so that esbuild drops other code. */
function createEntry(values: readonly SchemaValue[]): string {
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
  schemas: InspectedByKey,
  table: Record<string, TypeTable[string]>,
): ParamRecord {
  const { schemas: locations = [] } = param;
  if (param.shape === null || locations.length === 0) return param;
  let refined = param.shape;
  let { description } = param;
  for (const { path, schema } of locations) {
    const jsonSchema = schemas.get(schemaKey(schema))?.jsonSchema;
    refined = refineAt(refined, path, jsonSchema, table);
    if (path.length === 0 && description === "") description = describeRefinement(jsonSchema);
  }
  return { ...param, refined, description };
}

/** Returns the shape refined at a path. Refines named types in the table. */
function refineAt(
  shape: TypeShape,
  path: SchemaLocation["path"],
  jsonSchema: unknown,
  table: Record<string, TypeTable[string]>,
): TypeShape {
  if (path.length === 0 && shape.kind !== "ref") return refineShape(shape, jsonSchema);
  const [step, ...rest] = path;
  if (shape.kind === "ref") {
    const named = table[shape.name]!;
    const { description, deprecated } = named;
    const texts = {
      ...(description !== undefined && { description }),
      ...(deprecated && { deprecated }),
    };
    table[shape.name] = { ...refineAt(named, path, jsonSchema, table), ...texts };
  } else if (shape.kind === "array" && step === null) {
    return { ...shape, items: refineAt(shape.items, rest, jsonSchema, table) };
  } else if (shape.kind === "union") {
    const members = shape.members.map((member) => refineAt(member, path, jsonSchema, table));
    return { ...shape, members };
  } else if (shape.kind === "object") {
    const properties = shape.properties.map((property) => {
      const isSelected = property.name === step;
      if (!isSelected) return property;
      const text =
        rest.length === 0 && property.description === "" ? describeRefinement(jsonSchema) : "";
      const inner = refineAt(property.shape, rest, jsonSchema, table);
      return { ...property, shape: inner, ...(text !== "" && { description: text }) };
    });
    return { ...shape, properties };
  }
  return shape;
}

/** A schema of type `z.ZodType<Order>` has an unknown input, so svc would pass text to it. */
function textFault(param: ParamRecord, schemas: InspectedByKey): Diagnostic | null {
  const { shape, schemas: [whole] = [], name, position } = param;
  if (shape?.kind !== "str" || whole === undefined || whole.path.length > 0) return null;
  const inspected = schemas.get(schemaKey(whole.schema));
  if (inspected === undefined || !inspected.rejectsText) return null;
  const { type } = inspected.jsonSchema as { readonly type: string };
  return {
    code: "SVC1042",
    severity: "warning",
    position,
    length: name.length,
    message: `parameter \`${name}\` arrives as a string, and its schema accepts an ${type}`,
    help: "the input in the type of the schema: `z.ZodType<Order, Order>`",
  };
}

function inspectionFault(plugins: readonly PluginRecord[], fault: string): Diagnostic {
  const [first] = plugins.flatMap(({ params }) => params.filter(({ schemas }) => schemas));
  return {
    code: "SVC1273",
    severity: "warning",
    position: first!.position,
    length: 1,
    message: `cannot inspect the constraints of schemas: ${fault}`,
    help: "a separate schema module without run-time dependencies",
  };
}

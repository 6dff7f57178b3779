// The reader's result for one plugin, as frozen plain data. Rules check it and emitters print it
// without the syntax tree. Serializable to JSON.

import type { Wire } from "../../argspec/wire.js";
import type { JobFacts } from "../../runtime/plugin/contract/job-schedule.js";
import type { PluginRole } from "../../runtime/plugin/contract/plugin-entry.js";
import type { ExampleRecord } from "./example.js";
import type { SourcePosition } from "./source-position.js";
import type { TypeShape } from "./type-shape.js";

export type ReservedName =
  | "request"
  | "response"
  | "graph"
  | "method"
  | "headers"
  | "content"
  | "job";

/** The form in which `headers` or `content` was declared; null for the other reserved names. */
export type ReservedForm = "bytes" | "str" | "json" | "dict" | "list" | null;

/** Before the name of a schema that its module is made to export. */
export const SCHEMA_PREFIX = "svc$";

/** A function or value that a module of the project exports. */
export interface ModuleExport {
  /** Path relative to the project, with `/`. */
  readonly module: string;
  /** Export name, or class and static method. */
  readonly exportPath: string;
}

/** A value with `~standard`, exported by the module in which a type names it. */
export interface SchemaValue extends ModuleExport {
  /** The schema has a default for an absent value. */
  readonly acceptsAbsence: boolean;
}

/** A part of an argument that a schema checks, and may change. */
export interface SchemaLocation {
  /** Names of properties, null for each element of an array; empty: the argument itself. */
  readonly path: readonly (string | null)[];
  readonly schema: SchemaValue;
}

export interface ReservedParam {
  readonly kind: "reserved";
  readonly name: ReservedName;
  readonly form: ReservedForm;
  /** Shape of the decoded JSON; only for `content` declared as a JSON type. */
  readonly shape: TypeShape | null;
  /** Schemas inside `content`. */
  readonly schemas?: readonly SchemaLocation[];
  /** The shape refined by its schemas, for the contract. */
  readonly refined?: TypeShape;
  readonly description: string;
  readonly position: SourcePosition;
}

export interface UserParam {
  readonly kind: "user";
  readonly name: string;
  /** How its text is converted (http-interface, "Plugin execution" rule 4). */
  readonly wire: Wire;
  readonly shape: TypeShape;
  readonly schemas?: readonly SchemaLocation[];
  /** The shape refined by its schemas, for the contract. */
  readonly refined?: TypeShape;
  /** The class that its text is converted to. */
  readonly textClass?: "Date" | "URL";
  /** Its type is missing, any or unknown: it arrives as text, or cast as the client requests. */
  readonly untyped?: true;
  /** False when the parameter is optional or has a default. */
  readonly required: boolean;
  /** A default known at build time; `expression` ones are applied by the function itself. */
  readonly default:
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "expression" }
    | null;
  /** Type as written, `*` when there is no annotation. */
  readonly typeText: string;
  readonly description: string;
  readonly position: SourcePosition;
}

export type ParamRecord = ReservedParam | UserParam;

export interface ResultRecord {
  /**
   * `response` for a PluginResponse, `request` for a PluginRequest, `stream` for a stream, `http`
   * for an HttpResponse, `union` for a mix.
   */
  readonly kind: "response" | "request" | "stream" | "http" | "value" | "union";
  /**
   * Of a `response`: one entry, the tuple of sort key and item; of a `request`: the null of JSON;
   * of a `stream`: a piece; of a `union`: any JSON; of an `http`: values that it returns besides,
   * null without any; else the value's own shape.
   */
  readonly shape: TypeShape | null;
  /** Of an `http` that declares them, in lower case and without parameters. */
  readonly mediaTypes?: readonly string[];
  readonly typeText: string;
}

/** A documented error of a plugin. */
export interface ThrownRecord {
  readonly exception: string;
  readonly description: string;
  /** Of an HttpError: its status, and the shape of its details where their type is known. */
  readonly status?: number;
  readonly details?: TypeShape;
}

/** Which principals may call a plugin. */
export interface AccessRecord {
  /** Tagged `@public`: needs no principal. */
  readonly isPublic: boolean;
  /** Permissions that the principal must have. */
  readonly scopes: readonly string[];
}

export interface PluginRecord extends ModuleExport, AccessRecord {
  readonly kind: "plugin";
  readonly name: string;
  readonly role: PluginRole;
  readonly graph: string | null;
  /** Tagged `@readonly`: safe to repeat. */
  readonly readonly: boolean;
  readonly async: boolean;
  /** Tagged `@inline`: runs in the IO thread as long as it is short. */
  readonly inline: boolean;
  /** How long it may run; null: as long as any. */
  readonly timeoutMs: number | null;
  /** Its schedule, if svc calls it instead of clients: it is no part of the contract. */
  readonly job: JobFacts | null;
  /** Hooks in order. */
  readonly before: readonly ModuleExport[];
  readonly position: SourcePosition;
  /** First sentence, and the whole docstring (http-interface, "Plugin description record"). */
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** The replacement; empty unless the author names one. */
  readonly deprecation: string;
  readonly examples: readonly ExampleRecord[];
  readonly throws: readonly ThrownRecord[];
  /** In the order of the signature, reserved ones included. */
  readonly params: readonly ParamRecord[];
  readonly result: ResultRecord;
  /** Description of the result; may be empty. */
  readonly returns: string;
  /** Pre-processor only: plugins that it forwards to by name. */
  readonly forwards: readonly string[];
}

/** A module-level variable of a plugin module that its functions change. */
export interface ModuleState {
  readonly name: string;
  readonly position: SourcePosition;
}

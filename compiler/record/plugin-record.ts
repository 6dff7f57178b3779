// The reader's result for one plugin, as frozen plain data that can be serialized to JSON. Rules
// and emitters use it without the syntax tree.

import type { PluginRole } from "../../argspec/argspec.js";
import type { Wire } from "../../argspec/wire.js";
import type { JobFacts } from "../../runtime/plugin/contract/job-schedule.js";
import type { ExampleRecord } from "./example.js";
import type { ModuleExport } from "./module-export.js";
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

/** Declared representation of `headers` or `content`; null for the other reserved names. */
export type ReservedForm = "bytes" | "str" | "json" | "dict" | "list" | null;

/** Prefix of names that the build adds to the exports of a module, for its schemas. */
export const SCHEMA_PREFIX = "svc$";

/** A schema: a value with `~standard`, exported by the module in which a type refers to it. */
export interface SchemaValue extends ModuleExport {
  /** True if the schema has a default for an absent value. */
  readonly acceptsAbsence: boolean;
}

/** A part of an argument that a schema validates and may convert. */
export interface SchemaLocation {
  /** Property names, with null for each element of an array; empty: the whole argument. */
  readonly path: readonly (string | null)[];
  readonly schema: SchemaValue;
}

export interface ReservedParam {
  readonly kind: "reserved";
  readonly name: ReservedName;
  readonly form: ReservedForm;
  /** Shape of the decoded JSON, or of a text with limits; only for `content`. */
  readonly shape: TypeShape | null;
  /** Schemas inside `content`. */
  readonly schemas?: readonly SchemaLocation[];
  /** The body is passed as a `Buffer`. */
  readonly isBuffer?: true;
  /** Classes whose `fromJSON` creates parts of `content`. */
  readonly makers?: readonly ModuleExport[];
  /** The shape refined by its schemas, for the contract. */
  readonly refined?: TypeShape;
  readonly description: string;
  readonly position: SourcePosition;
}

export interface UserParam {
  readonly kind: "user";
  readonly name: string;
  /** How the text is converted (http-interface, "Plugin execution" rule 4). */
  readonly wire: Wire;
  readonly shape: TypeShape;
  readonly schemas?: readonly SchemaLocation[];
  /** The shape refined by its schemas, for the contract. */
  readonly refined?: TypeShape;
  /** Class that the text is converted to. */
  readonly textClass?: "Cursor" | "UploadedFile";
  /** Bytes of the query are passed as a `Buffer`. */
  readonly isBuffer?: true;
  /** Classes whose `fromJSON` creates parts of the value. */
  readonly makers?: readonly ModuleExport[];
  /** True if its type is missing, any or unknown: the plugin receives text, unless it casts it. */
  readonly untyped?: true;
  /** False if the parameter is optional or has a default. */
  readonly required: boolean;
  /** Default known at build time, or an `expression` that the function evaluates itself. */
  readonly default:
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "expression" }
    | null;
  /** Type annotation as written; `*` without an annotation. */
  readonly typeText: string;
  readonly description: string;
  readonly position: SourcePosition;
}

/** Returns whether a parameter is a file of a form. */
export function isFile(param: ParamRecord): boolean {
  return param.kind === "user" && param.textClass === "UploadedFile";
}

export type ParamRecord = ReservedParam | UserParam;

export interface ResultRecord {
  /**
   * `response` for a PluginResponse, `request` for a PluginRequest, `stream` for a stream, `http`
   * for an HttpResponse, `union` for several of them.
   */
  readonly kind: "response" | "request" | "stream" | "http" | "value" | "union";
  /**
   * Shape by kind. `response`: an entry, the tuple of sort key and item; `request`: JSON null;
   * `stream`: an item; `union`: any JSON; `http`: other values that the plugin may return, or null;
   * `value`: the value.
   */
  readonly shape: TypeShape | null;
  /** Media types of an `http` result, in lower case without parameters. */
  readonly mediaTypes?: readonly string[];
  /** Set if a `value` is a `Page`. */
  readonly isPage?: true;
  readonly typeText: string;
}

/** A documented error of a plugin. */
export interface ThrownRecord {
  readonly exception: string;
  readonly description: string;
  /** Only for HttpError: its status, and the shape of its details if the type is known. */
  readonly status?: number;
  readonly details?: TypeShape;
}

/** Determines the principals that may call a plugin. */
export interface AccessRecord {
  /** Tagged `@public`: requires no principal. */
  readonly isPublic: boolean;
  /** Permissions that the principal must have. */
  readonly scopes: readonly string[];
}

/** A hook, with the header fields that it reads by a literal name. */
export interface GuardRecord {
  readonly name: string;
  /** Path relative to the project, with `/`. */
  readonly file: string;
  readonly headers: readonly string[];
}

export interface PluginRecord extends ModuleExport, AccessRecord {
  readonly kind: "plugin";
  readonly name: string;
  readonly role: PluginRole;
  readonly graph: string | null;
  /** Tagged `@readonly`: retryable. */
  readonly readonly: boolean;
  readonly async: boolean;
  /** Tagged `@inline`: runs in the IO thread as long as it is short. */
  readonly inline: boolean;
  /** Maximum run time; null: the server's default. */
  readonly timeoutMs: number | null;
  /** Schedule of a job; not part of the contract. */
  readonly job: JobFacts | null;
  /** Hooks in the order in which they run. */
  readonly before: readonly ModuleExport[];
  /** All hooks: those of the configuration, then those in `before`. */
  readonly guards: readonly GuardRecord[];
  readonly position: SourcePosition;
  /** First sentence, and the whole docstring (http-interface, "Plugin description record"). */
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** Replacement; empty if the comment names none. */
  readonly deprecation: string;
  readonly examples: readonly ExampleRecord[];
  readonly throws: readonly ThrownRecord[];
  /** In signature order, including reserved arguments. */
  readonly params: readonly ParamRecord[];
  readonly result: ResultRecord;
  /** Description of the result; may be empty. */
  readonly returns: string;
  /** Pre-processors only: plugins that they forward to by name. */
  readonly forwards: readonly string[];
}

/** A module-level variable of a plugin module that its functions change. */
export interface ModuleState {
  readonly name: string;
  readonly position: SourcePosition;
}

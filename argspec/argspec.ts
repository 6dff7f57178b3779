// The contract between a service and its clients: `svc build` writes it to `.svc/argspec.json`, and
// servers return it from `/svc/builtin/argspec?format=schema`. Clients, OpenAPI documents, tools
// and the report of breaking changes derive from it alone.

import type { SecurityScheme } from "../runtime/base/security-scheme.js";
import type { Wire } from "./wire.js";

/** Raised whenever a reader of the previous version could misunderstand the file. */
/** Where a plugin runs: in engines, or in a dispatcher before or after them. */
export type PluginRole = "engine" | "pre" | "post";

export const ARGSPEC_VERSION = 1;

/** A JSON Schema 2020-12; only the keywords that `readArgspec` lists occur. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Argspec {
  readonly argspec: typeof ARGSPEC_VERSION;
  readonly service: ArgspecService;
  /** Hash of everything that a client depends on, see `contractHash`. */
  readonly hash: string;
  /** Sorted by name, then by role: engine, pre, post. */
  readonly plugins: readonly PluginSpec[];
  /** Named types by their unique names. */
  readonly $defs: Readonly<Record<string, JsonSchema>>;
}

export interface ArgspecService {
  readonly name: string | null;
  /** `/prefix`: every path is also served below it. */
  readonly prefix: string | null;
  /** Information about the service for documents; members are present only if known. */
  readonly version?: string;
  /** An SPDX license expression. */
  readonly license?: string;
  readonly servers?: readonly string[];
  /** True if requests require a principal; see `access` of each plugin. */
  readonly authenticated?: true;
  /** Alternative security schemes by name. */
  readonly security?: Readonly<Record<string, SecurityScheme>>;
}

export interface PluginSpec {
  readonly name: string;
  readonly path: string;
  readonly role: PluginRole;
  readonly graph: string | null;
  /** Safe to repeat: clients retry such a call after a failure. */
  readonly readonly: boolean;
  /** First sentence of the description. */
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** The replacement, if the author names one. */
  readonly deprecation?: string;
  /** Null if the plugin was not read from a file. */
  readonly source: { readonly file: string; readonly line: number; readonly column: number } | null;
  /** In signature order, including the body (`in: "body"`) if the plugin takes one. */
  readonly params: readonly ParamSpec[];
  /** True if the plugin accepts query parameters beyond the listed ones. */
  readonly open?: true;
  /** Names of the arguments that the server supplies. */
  readonly reserved: readonly string[];
  readonly result: ResultSpec;
  /** Description of the result, if the author gives one. */
  readonly returns?: string;
  readonly errors: readonly ErrorSpec[];
  readonly examples: readonly ExampleSpec[];
  /** Present if the plugin is public or requires scopes. */
  readonly access?: AccessSpec;
  /** Hooks in the order in which they run; present if there are any. */
  readonly guards?: readonly GuardSpec[];
  /** Pre-processors only: plugins that they forward to by name. */
  readonly forwards?: readonly string[];
}

export type AccessSpec = { readonly public: true } | { readonly scopes: readonly string[] };

export interface GuardSpec {
  readonly name: string;
  readonly file: string;
  /** Header fields that it reads by a literal name. */
  readonly headers: readonly string[];
}

export interface ParamSpec {
  readonly name: string;
  readonly in: "query" | "body";
  /** Wire form of the value (http-interface, "Plugin execution" rule 4). */
  readonly wire: Wire;
  readonly required: boolean;
  /** Present only if known at build time. */
  readonly default?: unknown;
  readonly schema: JsonSchema;
  readonly description?: string;
  /** Of a body: `multipart/form-data` with files, which are the properties of the schema. */
  readonly form?: true;
}

export type ResultSpec =
  /** `union`: one of these kinds at a time; its schema accepts every value. */
  | {
      readonly kind: "value" | "union";
      readonly schema: JsonSchema;
      /** `{ items, cursor }`: the parameter `cursor` takes the cursor of the previous page. */
      readonly page?: true;
    }
  /** Streamed without an envelope; the schema describes one item. */
  | { readonly kind: "stream"; readonly schema: JsonSchema }
  /** A list of `[sortkey, item]` that dispatchers merge (plugin-api, "PluginResponse"). */
  | {
      readonly kind: "response";
      readonly sortkey: JsonSchema;
      readonly item: JsonSchema;
      readonly meta: true;
    }
  /**
   * Sent without an envelope in one of these media types; an empty list allows any type, and
   * `image/*` all images. With a schema, the plugin may also return a value, which is sent in an
   * envelope.
   */
  | {
      readonly kind: "http";
      readonly mediaTypes: readonly string[];
      readonly schema?: JsonSchema;
    }
  /** Pre-processors only: the response comes from the back-ends. */
  | { readonly kind: "request" };

export interface ErrorSpec {
  readonly exception: string;
  readonly description: string;
  /** HttpError only: its status. Clients declare each such error as a kind of its own. */
  readonly status?: number;
  /** HttpError only: schema of its details, if its type declares one. */
  readonly details?: JsonSchema;
}

/** A query that was checked when the service was built, or other text. */
export type ExampleSpec =
  | { readonly query: Readonly<Record<string, unknown>>; readonly text: string }
  | { readonly text: string };

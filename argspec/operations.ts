// The operations that a client can call: the plugins of an argspec by name. A request passes the
// pre-processor first and the post-processor last: the former defines the parameters, the latter
// the result.

import type {
  AccessSpec,
  Argspec,
  ErrorSpec,
  ExampleSpec,
  ParamSpec,
  PluginSpec,
  ResultSpec,
} from "./argspec.js";

export interface Operation {
  readonly name: string;
  /** Path without the service prefix: `/svc/plugin/<name>`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly deprecation: string;
  /** True if calls are safe to repeat. */
  readonly readonly: boolean;
  /**
   * True if accepted only as a POST, with a header field that cross-origin requests cannot send.
   */
  readonly isGuarded: boolean;
  readonly graph: string | null;
  /** Query parameters in signature order. */
  readonly params: readonly ParamSpec[];
  /** The body of a POST; null for a GET. */
  readonly content: ParamSpec | null;
  /** True if it accepts parameters beyond the listed ones. */
  readonly isOpen: boolean;
  readonly result: Exclude<ResultSpec, { kind: "request" }>;
  /** True if the response is plain text without an envelope, as of some status services. */
  readonly isText: boolean;
  /** Description of the result; empty without one. */
  readonly returns: string;
  readonly errors: readonly ErrorSpec[];
  readonly examples: readonly ExampleSpec[];
  /** Undefined: any principal may call it. */
  readonly access: AccessSpec | undefined;
}

/** Returns whether clients can get all pages of a result. */
export function isPage(result: Operation["result"]): boolean {
  return (result.kind === "value" || result.kind === "union") && result.page === true;
}

const BUILTIN_PATH = "/svc/builtin/";
const ANY_RESULT = { kind: "union", schema: {} } as const;

/** Sorted by name. */
export function listOperations({ plugins }: Argspec): readonly Operation[] {
  const names = [...new Set(plugins.map(({ name }) => name))].sort();
  const byKey = new Map(plugins.map((plugin) => [keyOf(plugin), plugin]));
  const find: Find = (role, name) => byKey.get(keyOf({ role, name }));
  return names.map((name) => operation(name, find));
}

type Find = (role: PluginSpec["role"], name: string) => PluginSpec | undefined;

function keyOf({ role, name }: Pick<PluginSpec, "role" | "name">): string {
  return `${role} ${name}`;
}

function operation(name: string, find: Find): Operation {
  const [pre, engine, post] = [find("pre", name), find("engine", name), find("post", name)];
  const first = (pre ?? engine ?? post)!;
  const described = [first, engine, post].find((plugin) => plugin?.description) ?? first;
  const parts = [pre, engine, post].filter((plugin) => plugin !== undefined);
  const params = first === post ? [] : first.params;
  return {
    name,
    path: first.path,
    summary: described.summary,
    description: described.description,
    deprecated: parts.some(({ deprecated }) => deprecated),
    deprecation: parts.find(({ deprecation }) => deprecation !== undefined)?.deprecation ?? "",
    readonly: parts.every((part) => part.readonly),
    isGuarded: first.path.startsWith(BUILTIN_PATH) && !parts.every((part) => part.readonly),
    graph: first.graph,
    params: params.filter((param) => param.in === "query"),
    content: params.find((param) => param.in === "body") ?? null,
    // A lone post-processor has the parameters of an engine elsewhere.
    isOpen: first === post || first.open === true,
    result: resultOf(pre, engine, post, find),
    isText: false,
    returns: parts.findLast(({ returns }) => returns !== undefined)?.returns ?? "",
    errors: parts.flatMap(({ errors }) => errors),
    examples: parts.flatMap(({ examples }) => examples),
    access: first.access,
  };
}

function resultOf(
  pre: PluginSpec | undefined,
  engine: PluginSpec | undefined,
  post: PluginSpec | undefined,
  find: Find,
): Operation["result"] {
  // A pre-processor that may respond itself has several kinds of results.
  if (pre !== undefined && pre.result.kind !== "request") {
    const { kind } = pre.result;
    return kind === "union" || kind === "response" ? ANY_RESULT : pre.result;
  }
  const last = post ?? answering(pre?.forwards ?? [], engine, find);
  return last === undefined || last.result.kind === "request" ? ANY_RESULT : last.result;
}

/** Returns the plugin that defines the result; undefined if that varies. */
function answering(
  [forwarded, ...others]: readonly string[],
  engine: PluginSpec | undefined,
  find: Find,
): PluginSpec | undefined {
  if (forwarded === undefined) return engine;
  // Behind a dispatcher, the post-processor of a name runs last.
  return others.length === 0 ? (find("post", forwarded) ?? find("engine", forwarded)) : undefined;
}

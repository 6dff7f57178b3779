// One table of names for all generated code, so that a plugin or type has the same name in every
// language. Names that would break a client get an underscore; colliding names are numbered in
// argspec order.

import type { Argspec } from "./argspec.js";
import { listErrorKinds } from "./error-kinds.js";
import type { Operation } from "./operations.js";

export interface NameTable {
  /** Method of a client by the operation's name; `<method>Raw` and `<method>_raw` are free too. */
  readonly methods: ReadonlyMap<string, string>;
  /** Generated type by the name in `$defs`. */
  readonly types: ReadonlyMap<string, string>;
  /** Type of an operation's parameters by the operation's name. */
  readonly params: ReadonlyMap<string, string>;
  /** Result types by operation name. */
  readonly results: ReadonlyMap<string, string>;
  /** Type of an error that is known by name, and of its details, by that name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly details: ReadonlyMap<string, string>;
}

/** Methods of every client, and names that objects of either language must not redefine. */
const TAKEN_METHODS = [
  ..."builtin close constructor self services then toJSON toString valueOf with".split(" "),
  ..."hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString with_options".split(" "),
  ..."_argspec _call _call_raw _stream Generator _connection _options _response property".split(
    " ",
  ),
  // Within a class of Python, a method would be taken for the type or the value.
  ..."_call_http HttpResponse".split(" "),
  ..."Any Builtin Dict Envelope LEFT_OUT List Literal Optional PluginResponse Services".split(" "),
  ..."Tuple Union bool bytes float int str".split(" "),
];
/** Reserved words of Python. JavaScript allows all of its own as method names. */
const PYTHON_WORDS =
  "False None True and as assert async await break class continue def del elif else except " +
  "finally for from global if import in is lambda nonlocal not or pass raise return try while " +
  "yield";
const KEYWORDS = new Set(PYTHON_WORDS.split(" "));
/** Types of the clients' own part and of the languages. */
const TAKEN_TYPES =
  "AbortSignal Any Array ArrayBuffer AsyncGenerator BackEndLevel Boolean Builtin CallDefaults " +
  "CallOptions Client ClientOptions Date Dict Envelope Error ErrorKind Failure Fetch Generic " +
  "HttpResponse List Literal Mapping NotRequired Number Object Optional Partial PluginResponse " +
  "Plugins Promise Readonly Record Required Sequence Services String SvcError SvcParameterError " +
  "SvcPluginError SvcSystemError Symbol Tuple TypedDict TypeVar Uint8Array Union";
/** Words that are no names in TypeScript, or mean something else as types. */
const TYPESCRIPT_WORDS =
  "abstract any asserts bigint boolean case catch const debugger declare default delete do enum " +
  "export extends false function implements infer instanceof interface intrinsic keyof let " +
  "module namespace never new null number object package private protected public readonly " +
  "static string super switch symbol this throw true type typeof undefined unique unknown var void";

export function nameTable({ $defs }: Pick<Argspec, "$defs">, operations: readonly Operation[]) {
  const methods = new Names(TAKEN_METHODS);
  const types = new Names([...TAKEN_TYPES.split(" "), ...TYPESCRIPT_WORDS.split(" ")]);
  const kinds = listErrorKinds(operations).map(({ kind }) => kind);
  const names = operations.map(({ name }) => name);
  // Names that begin so have a meaning of their own in both languages.
  const methodOf = (name: string) =>
    methods.take(name.replace(/^__+/, "_"), (method) => [`${method}Raw`, `${method}_raw`]);
  return {
    methods: new Map(names.map((name) => [name, methodOf(name)])),
    types: new Map(Object.keys($defs).map((name) => [name, types.take(name)])),
    params: new Map(names.map((name) => [name, types.take(`${pascalCase(name)}Params`)])),
    results: new Map(names.map((name) => [name, types.take(`${pascalCase(name)}Result`)])),
    errors: new Map(kinds.map((kind) => [kind, types.take(kind)])),
    details: new Map(kinds.map((kind) => [kind, types.take(`${kind}Details`)])),
  } satisfies NameTable;
}

/** A name that is no keyword of a language in which it becomes a variable. */
export function variableName(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

function pascalCase(name: string): string {
  const cased = name.replace(/(?:^|_+)([^_])/g, (_, letter: string) => letter.toUpperCase());
  return /^\d/.test(cased) ? `_${cased}` : cased;
}

class Names {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** @param alongside further names that come with one */
  take(wanted: string, alongside: (name: string) => readonly string[] = () => []): string {
    const base = this.#taken.has(wanted) || KEYWORDS.has(wanted) ? `${wanted}_` : wanted;
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}${number}`;
      const all = [name, ...alongside(name)];
      if (all.some((candidate) => this.#taken.has(candidate))) continue;
      for (const candidate of all) this.#taken.add(candidate);
      return name;
    }
  }
}

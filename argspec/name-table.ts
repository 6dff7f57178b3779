// One table of names for all generated code, so that a plugin or type has the same name in every
// language. Names that would break a client get an underscore; colliding names are numbered in
// argspec order.

import type { Argspec } from "./argspec.js";
import { listErrorKinds } from "./error-kinds.js";
import { isPage, type Operation } from "./operations.js";
import { PYTHON_WORDS } from "./python/reserved-words.js";
import type { ReservedWords } from "./reserved-words.js";
import { TYPESCRIPT_WORDS } from "./typescript/reserved-words.js";

export interface NameTable {
  /** Client method by operation name; `<method>Raw` and `<method>_raw` are free too. */
  readonly methods: ReadonlyMap<string, string>;
  /** Generated type by the name in `$defs`. */
  readonly types: ReadonlyMap<string, string>;
  /** Parameter type by operation name. */
  readonly params: ReadonlyMap<string, string>;
  /** Result types by operation name. */
  readonly results: ReadonlyMap<string, string>;
  /** Error type, and type of its details, by error name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly details: ReadonlyMap<string, string>;
}

const RESERVED_WORDS: readonly ReservedWords[] = [TYPESCRIPT_WORDS, PYTHON_WORDS];
const KEYWORDS = new Set(RESERVED_WORDS.flatMap(({ keywords }) => keywords));

export function nameTable({ $defs }: Pick<Argspec, "$defs">, operations: readonly Operation[]) {
  const methods = new Names(RESERVED_WORDS.flatMap((reserved) => reserved.methods));
  const types = new Names(RESERVED_WORDS.flatMap((reserved) => reserved.types));
  const kinds = listErrorKinds(operations).map(({ kind }) => kind);
  const names = operations.map(({ name }) => name);
  // Names with two leading underscores have a meaning in both languages.
  const methodOf = ({ name, result }: Operation) =>
    methods.take(name.replace(/^__+/, "_"), (method) => [
      ...[`${method}Raw`, `${method}_raw`],
      ...(isPage(result) ? [`${method}_all`] : []),
    ]);
  return {
    methods: new Map(operations.map((operation) => [operation.name, methodOf(operation)])),
    types: new Map(Object.keys($defs).map((name) => [name, types.take(name)])),
    params: new Map(names.map((name) => [name, types.take(`${pascalCase(name)}Params`)])),
    results: new Map(names.map((name) => [name, types.take(`${pascalCase(name)}Result`)])),
    errors: new Map(kinds.map((kind) => [kind, types.take(kind)])),
    details: new Map(kinds.map((kind) => [kind, types.take(`${kind}Details`)])),
  } satisfies NameTable;
}

/** Returns the name of a variable: not a keyword of any language. */
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

  /** @param alongside returns further names that are reserved together with a name */
  take(preferred: string, alongside: (name: string) => readonly string[] = () => []): string {
    const base =
      this.#taken.has(preferred) || KEYWORDS.has(preferred) ? `${preferred}_` : preferred;
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}${number}`;
      const names = [name, ...alongside(name)];
      if (names.some((candidate) => this.#taken.has(candidate))) continue;
      for (const candidate of names) this.#taken.add(candidate);
      return name;
    }
  }
}

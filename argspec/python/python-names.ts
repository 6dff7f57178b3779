// Names in generated Python. The name table of all languages comes first; this adds what Python
// requires, because one module contains everything.

import { variableName } from "../name-table.js";

/** Built-in names that generated code and the runtime must be able to use. */
const BUILTINS =
  "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup " +
  "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError " +
  "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError " +
  "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception " +
  "ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning " +
  "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError " +
  "IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError " +
  "NameError None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError " +
  "PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError " +
  "ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError " +
  "SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError " +
  "UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning " +
  "UserWarning ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin bool " +
  "breakpoint bytearray bytes callable chr classmethod compile complex copyright credits " +
  "delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr " +
  "globals hasattr hash help hex id input int isinstance issubclass iter len license list " +
  "locals map max memoryview min next object oct open ord pow print property quit range repr " +
  "reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip";
/** Definitions of the runtime module: all start at the beginning of a line. */
const DEFINED =
  /^(?:class|def) (\w+)|^(\w+)(?::| =)|^import (\w+)|^from \S+ import ([^(\n]+)|^ {4}(\w+),$/gm;
const MAX_LENGTH = 80;

/** The names of one scope. */
export class PythonNames {
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, number>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** Reserves a name. */
  reserve(name: string): void {
    this.#taken.add(name);
  }

  /** Returns the wanted name or a similar free one, and reserves it. */
  take(preferred: string): string {
    const base = variableName(identifier(preferred));
    const free = this.#taken.has(base) && !base.endsWith("_") ? `${base}_` : base;
    let name = free;
    for (let count = this.#counts.get(free) ?? 2; this.#taken.has(name); count++) {
      name = `${free}${count}`;
      this.#counts.set(free, count + 1);
    }
    this.#taken.add(name);
    return name;
  }
}

/** Returns the names of a module that starts with the runtime. */
export function moduleNames(runtime: string): PythonNames {
  const defined = [...runtime.matchAll(DEFINED)].flatMap(([, ...groups]) =>
    groups.flatMap((group) => group?.split(", ") ?? []),
  );
  return new PythonNames([...BUILTINS.split(" "), ...defined, "Builtin", "Client", "Services"]);
}

/** Converts `search-city` to `SearchCity`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[^\p{L}\p{Nd}]+)(.?)/gu, (_, letter: string) => letter.toUpperCase());
}

/** Returns whether a text is an identifier that Python does not change, also inside a class. */
export function isPlainName(text: string): boolean {
  return variableName(identifier(text)) === text;
}

/** Python compares normalized names, and mangles names that start with `__`. */
function identifier(name: string): string {
  // Much longer names are cut first, so that they cost no more than others.
  const normal = name.slice(0, 4 * MAX_LENGTH).normalize("NFKC");
  const letters = normal
    // Not every letter is allowed in identifiers.
    .replace(/[^\p{L}\p{Nd}_]|(?!\p{XIDC})./gu, "_")
    .replace(/^__+/, "_")
    .replace(/^(?![\p{XIDS}_])/u, "_");
  // Surrogate pairs are not split.
  return [...letters].slice(0, MAX_LENGTH).join("");
}

// Generic types in printed code. The library that prints types cannot print them, so `Set<T>` is
// printed as the tuple `[$Set, T]`, which this file replaces. Names of types contain no `$`.

/** Strings and comments, which are kept as they are, then the brackets of tuples. */
const TOKENS = /"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\/|\[(?:\$(\w+), )?|\]/g;

export function markGeneric(name: "Map" | "Set"): string {
  return `$${name}`;
}

/** Replaces the marked tuples of printed code. */
export function restoreGenerics(printed: string): string {
  const open: boolean[] = [];
  return printed.replace(TOKENS, (token, name: string | undefined) => {
    if (token === "]") return open.pop() ? ">" : "]";
    if (!token.startsWith("[")) return token;
    open.push(name !== undefined);
    return name === undefined ? token : `${name}<`;
  });
}

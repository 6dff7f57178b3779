// Generic types in printed code. The library that prints types has none, so `Set<T>` is printed as
// the tuple `[$Set, T]` and changed here. Our names contain no `$`.

/** Strings and comments, whose texts come from authors, then what matters of types. */
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

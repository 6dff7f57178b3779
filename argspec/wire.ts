// The types in which a query parameter can travel. How its text is converted hangs on nothing else,
// so converters, registry, compiler and the public types all meet in this one word.

export type Wire = "int" | "float" | "str" | "bytes" | "json";

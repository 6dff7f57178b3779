// Examples in a plugin's documentation: their texts, and the calls in them, with the position of
// each value in the comment. Rules check the calls; the argspec contains their values.

import type { SourceRange } from "./source-position.js";

export interface ExampleRecord {
  readonly text: string;
  readonly calls: readonly ExampleCall[];
}

export interface ExampleCall {
  /**
   * `query`: the URL of a request; `client`: a call of a client, with an object of parameters;
   * `function`: a call of the plugin's function, with arguments in the order of the signature.
   */
  readonly form: "query" | "client" | "function";
  /** Position of the called name or of the path. */
  readonly range: SourceRange;
  readonly args: readonly ExampleArgument[];
  /** True if there may be more arguments: `...others`. */
  readonly isOpen: boolean;
}

export interface ExampleArgument {
  /** Null for an argument beyond the last parameter. */
  readonly name: string | null;
  /** Position of the name if the example contains it, or else of the value. */
  readonly range: SourceRange;
  readonly value: ExampleValue;
}

/** `literal` is JSON without positions, `unknown` a value known only at run time. */
export type ExampleValue =
  | { readonly kind: "literal"; readonly value: unknown; readonly range: SourceRange }
  | { readonly kind: "array"; readonly items: readonly ExampleValue[]; readonly range: SourceRange }
  | {
      readonly kind: "object";
      readonly properties: readonly ExampleProperty[];
      readonly range: SourceRange;
    }
  | { readonly kind: "unknown"; readonly range: SourceRange };

export interface ExampleProperty {
  readonly name: string;
  readonly range: SourceRange;
  readonly value: ExampleValue;
}

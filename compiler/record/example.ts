// The examples in a plugin's documentation: their texts and the calls found in them, each value
// with its position in the comment. Rules check the calls, the argspec takes their values.

import type { SourceRange } from "./source-position.js";

export interface ExampleRecord {
  readonly text: string;
  readonly calls: readonly ExampleCall[];
}

export interface ExampleCall {
  /**
   * `query`: the URL of a request; `client`: an object of parameters, as clients take it;
   * `function`: the plugin's own function, with its arguments in the order of the signature.
   */
  readonly form: "query" | "client" | "function";
  /** Position of the called name or of the path. */
  readonly place: SourceRange;
  readonly args: readonly ExampleArgument[];
  /** True if there may be more arguments: `...others`. */
  readonly isOpen: boolean;
}

export interface ExampleArgument {
  /** Null for an argument beyond the last parameter. */
  readonly name: string | null;
  /** Position of the name if it is written, otherwise of the value. */
  readonly place: SourceRange;
  readonly value: ExampleValue;
}

/** `literal` is JSON without positions, `unknown` a value known only at run time. */
export type ExampleValue =
  | { readonly kind: "literal"; readonly value: unknown; readonly place: SourceRange }
  | { readonly kind: "array"; readonly items: readonly ExampleValue[]; readonly place: SourceRange }
  | {
      readonly kind: "object";
      readonly properties: readonly ExampleProperty[];
      readonly place: SourceRange;
    }
  | { readonly kind: "unknown"; readonly place: SourceRange };

export interface ExampleProperty {
  readonly name: string;
  readonly place: SourceRange;
  readonly value: ExampleValue;
}

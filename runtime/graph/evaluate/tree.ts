// Syntax tree: plain nodes with positions, names unresolved.

import type { Token } from "./tokens.js";

export type Node =
  | { readonly kind: "literal"; readonly token: Token; readonly at: number }
  | { readonly kind: "name"; readonly name: string; readonly at: number }
  | { readonly kind: "unary"; readonly operator: string; readonly of: Node; readonly at: number }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Node;
      readonly right: Node;
      readonly at: number;
    }
  | {
      readonly kind: "ternary";
      readonly condition: Node;
      readonly yes: Node;
      readonly no: Node;
      readonly at: number;
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: readonly Node[];
      readonly at: number;
    }
  | { readonly kind: "group"; readonly items: readonly Node[]; readonly at: number }
  | { readonly kind: "set"; readonly items: readonly Node[]; readonly at: number }
  | {
      readonly kind: "property";
      readonly of: string;
      readonly key: Token;
      readonly at: number;
    };

export interface Statement {
  /** Variable it binds; null for none. */
  readonly variable: string | null;
  readonly at: number;
  readonly value: Node;
}

export interface Tree {
  /** Name assigned by `name := …`; null if there is none. */
  readonly name: string | null;
  readonly statements: readonly Statement[];
}

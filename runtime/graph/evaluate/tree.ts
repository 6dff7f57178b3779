// What the parser makes of a text: plain nodes with their places. Names mean nothing here yet.

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
  /** The variable that it binds, null for none. */
  readonly variable: string | null;
  readonly at: number;
  readonly value: Node;
}

export interface Tree {
  /** What `name := …` is to be called, null without. */
  readonly name: string | null;
  readonly statements: readonly Statement[];
}

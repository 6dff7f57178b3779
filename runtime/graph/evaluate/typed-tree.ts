// Tree with resolved names, the input of both back ends. Each node has the type of its value, and
// whether it has a side effect.

import type { ArcAttribute, OtherAttribute, VertexAttribute } from "./attributes.js";
import type { FunctionRow, StaticType } from "./functions/row.js";
import type { Value } from "./values.js";
import type { VertexWord } from "./vocabulary.js";

interface Base {
  readonly type: StaticType;
  /** Largest absolute value if it is an int, see `intBound`. */
  readonly bound?: number;
  readonly hasEffect: boolean;
}

export type ArcName = "next" | "prev";

export interface CallNode extends Base {
  readonly op: "call";
  readonly row: FunctionRow;
  readonly args: readonly TypedNode[];
}
export interface BinaryNode extends Base {
  readonly op: "binary";
  readonly operator: string;
  readonly left: TypedNode;
  readonly right: TypedNode;
}
export interface PropertyNode extends Base {
  readonly op: "property";
  readonly of: VertexWord;
  /** Index in the keys of that vertex. */
  readonly position: number;
}
export interface IfNode extends Base {
  readonly op: "if";
  readonly condition: TypedNode;
  readonly yes: TypedNode;
  readonly no: TypedNode;
}
export interface MemberNode extends Base {
  readonly op: "in";
  readonly isNegated: boolean;
  readonly left: TypedNode;
  readonly right: TypedNode;
}

export type TypedNode =
  | (Base & { readonly op: "literal"; readonly index: number })
  | (Base & { readonly op: "constant"; readonly value: Value })
  /** Code of the relationship or vertex type that a literal names. */
  | (Base & { readonly op: "code"; readonly position: number })
  | (Base & { readonly op: "variable"; readonly slot: number })
  | (Base & { readonly op: "vertex"; readonly of: VertexWord })
  | (Base & {
      readonly op: "vertexAttribute";
      readonly of: VertexWord;
      readonly attribute: VertexAttribute;
    })
  | (Base & { readonly op: "arcAttribute"; readonly of: ArcName; readonly attribute: ArcAttribute })
  | (Base & { readonly op: "other"; readonly attribute: OtherAttribute })
  | PropertyNode
  /** `property(key, default, condition)` */
  | (Base & {
      readonly op: "default";
      readonly property: PropertyNode;
      readonly fallback: TypedNode;
      readonly condition: TypedNode | null;
    })
  /** `'key' in next` */
  | (Base & { readonly op: "has"; readonly property: PropertyNode; readonly isNegated: boolean })
  | (Base & { readonly op: "unary"; readonly operator: string; readonly of: TypedNode })
  | BinaryNode
  | IfNode
  | MemberNode
  | (Base & { readonly op: "set"; readonly items: readonly TypedNode[] })
  | (Base & { readonly op: "range"; readonly low: TypedNode; readonly high: TypedNode })
  /** The first of several nodes, all of which are evaluated. */
  | (Base & { readonly op: "group"; readonly items: readonly TypedNode[] })
  | CallNode;

export interface TypedStatement {
  /** Variable it binds; -1 for none. */
  readonly slot: number;
  readonly value: TypedNode;
}

/** Capabilities that an expression needs at its site: the first position that needs each. */
export interface Needs {
  /** The arc or its head. */
  head: number;
  /** `collect`, `stage`; `commit`. */
  collect: number;
  commit: number;
  cull: number;
  synthetic: number;
}

export interface TypedProgram {
  readonly statements: readonly TypedStatement[];
  readonly type: StaticType;
  readonly hasEffect: boolean;
  /** True if results differ although the graph has not changed. */
  readonly isVolatile: boolean;
  readonly needs: Readonly<Needs>;
  /** Per vertex: literals that are property keys. */
  readonly keys: Readonly<Record<VertexWord, readonly number[]>>;
  /** Literals that name relationships or types; a pattern stands for all of them. */
  readonly codes: readonly CodeName[];
  /** Literals that must be positive: sizes of `mcull`. */
  readonly sizes: readonly number[];
}

export interface CodeName {
  readonly literal: number;
  readonly kind: "relationships" | "types";
}

/** Returns the operands of a node. */
export function childNodes(node: TypedNode): readonly TypedNode[] {
  switch (node.op) {
    case "unary":
      return [node.of];
    case "binary":
    case "in":
      return [node.left, node.right];
    case "if":
      return [node.condition, node.yes, node.no];
    case "default":
      return node.condition === null ? [node.fallback] : [node.fallback, node.condition];
    case "set":
    case "group":
      return node.items;
    case "range":
      return [node.low, node.high];
    case "call":
      return node.args;
    default:
      return [];
  }
}

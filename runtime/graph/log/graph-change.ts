// Changes of a graph as change feeds deliver them.

import type { PropertyValue } from "../store/property-values.js";

interface ChangeHead {
  /** Position from which a feed continues after this change; opaque. */
  readonly position: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** `type` of a vertex: null if it is untyped, or if it was removed and its type is unknown. */
export type VertexCreated = ChangeHead & {
  readonly kind: "vertexCreated";
  readonly id: string;
  readonly type: string | null;
};
/** With all properties and arcs that start at it. */
export type VertexDeleted = ChangeHead & {
  readonly kind: "vertexDeleted";
  readonly id: string;
  readonly type: string | null;
};
export type TypeSet = ChangeHead & {
  readonly kind: "typeSet";
  readonly id: string;
  readonly type: string | null;
};
export type PropertySet = ChangeHead & {
  readonly kind: "propertySet";
  readonly id: string;
  readonly type: string | null;
  readonly property: string;
  readonly value: PropertyValue;
};
export type PropertyRemoved = ChangeHead & {
  readonly kind: "propertyRemoved";
  readonly id: string;
  readonly type: string | null;
  /** Null: all properties of the vertex. */
  readonly property: string | null;
};
/** The vector itself is not part of the change. */
export type VectorSet = ChangeHead & {
  readonly kind: "vectorSet";
  readonly id: string;
  readonly type: string | null;
};
export type VectorRemoved = ChangeHead & {
  readonly kind: "vectorRemoved";
  readonly id: string;
  readonly type: string | null;
};
/** An arc was created, or its value changed. */
export type ArcSet = ChangeHead & {
  readonly kind: "arcSet";
  readonly initial: string;
  readonly relationship: string;
  /** Name of the modifier, such as `M_INT`. */
  readonly modifier: string;
  readonly value: number;
  readonly terminal: string;
};
/** Arcs between two vertices were removed. */
export type ArcRemoved = ChangeHead & {
  readonly kind: "arcRemoved";
  readonly initial: string;
  /** Null: of any relationship. */
  readonly relationship: string | null;
  /** Null: of any modifier. */
  readonly modifier: string | null;
  readonly terminal: string;
};
/** All vertices of a type were removed with their arcs. */
export type Truncated = ChangeHead & {
  readonly kind: "truncated";
  /** Null: all vertices. */
  readonly type: string | null;
};

export type GraphChange =
  | VertexCreated
  | VertexDeleted
  | TypeSet
  | PropertySet
  | PropertyRemoved
  | VectorSet
  | VectorRemoved
  | ArcSet
  | ArcRemoved
  | Truncated;

export type ChangeKind = GraphChange["kind"];

export const CHANGE_KINDS = [
  ...(["vertexCreated", "vertexDeleted", "typeSet", "propertySet", "propertyRemoved"] as const),
  ...(["vectorSet", "vectorRemoved", "arcSet", "arcRemoved", "truncated"] as const),
] as const satisfies readonly ChangeKind[];

/** Which changes to deliver. A member restricts only changes that have such a value. */
export interface ChangeFilter {
  readonly kinds?: readonly ChangeKind[] | undefined;
  /** Types of vertices. Changes of removed vertices whose type is unknown are delivered, too. */
  readonly types?: readonly string[] | undefined;
  /** Names of properties. */
  readonly properties?: readonly string[] | undefined;
}

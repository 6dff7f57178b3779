// Changes of a graph as plain data. Every change is an `Operation`: `apply` executes it,
// `logOperation` writes the record that is logged and replicated. An operation describes the
// resulting state, not the request (an increment carries the new value, a relative time is
// absolute), so a record can be applied elsewhere, and twice.

import { NULL_PARTS, type VectorParts } from "../vectors/vector-parts.js";
import type { PropertyValue } from "./property-values.js";
import type { TextView } from "./text-view.js";

export const OperationCode = {
  /** Creates a vertex, or makes a virtual one real. */
  CreateVertex: 1,
  DeleteVertex: 2,
  SetType: 3,
  SetExpiry: 4,
  SetRank: 5,
  SetProperty: 6,
  RemoveProperty: 7,
  RemoveProperties: 8,
  /** Creates an arc or sets its value; creates missing ends as virtual vertices. */
  Connect: 9,
  Disconnect: 10,
  /** Removes all vertices of a type, or all. */
  Truncate: 11,
  /** Assigns a code to the name of a relationship, type or property key. */
  Enumerate: 12,
  SetReadonly: 13,
  SetVector: 14,
  RemoveVector: 15,
  /** Creates or drops the index of the vectors of one length. */
  IndexVectors: 16,
  /** Whether arcs get creation and modification times in companion arcs. */
  SetAutoTimes: 17,
  /** Creates or drops an index of a property, or of ids. */
  IndexProperty: 18,
  /** Changes a similarity setting of the graph, or of vectors of one name. */
  SetSimilarity: 19,
  /** Declares a text index, or drops one. */
  IndexTexts: 20,
  /** Declares, changes or drops the constraint of a property of a type. */
  Constrain: 21,
} as const;

export type OperationCodeNumber = (typeof OperationCode)[keyof typeof OperationCode];

/**
 * One object shape for all operations keeps their handlers monomorphic; a store owns one and reuses
 * it for each change. `code` determines which members are significant.
 */
export interface Operation {
  code: OperationCodeNumber;
  /** Handle of the vertex or initial; 0 if it does not exist yet: then `id` identifies it. */
  vertex: number;
  id: string | TextView;
  /** Handle of the terminal; 0 if it does not exist yet: then `terminalId` identifies it. */
  terminal: number;
  terminalId: string | TextView;
  /**
   * Code of a type, relationship or key. Index: key code, 0 for ids. Setting: its number. Vectors:
   * key code of their name, 0 for unnamed ones.
   */
  name: number;
  modifier: number;
  /**
   * Arc: 1 for forward-only. Vector index: candidates examined per new node, 0 to drop it.
   * Constraint: its rules, 0 to drop it. Similarity setting: key code of the name of the vectors.
   */
  flags: number;
  /**
   * Arc: bits of its value. Flag or index: 1 to set or create it. Vector index: length word of its
   * vectors. Enumeration: requested code, 0 for the next one. Constraint: its vertex type.
   */
  value: number;
  /** Rank coefficients. */
  c1: number;
  c0: number;
  /** Seconds since 1970; NEVER for no expiry. */
  expiresAt: number;
  /** Seconds since 1970 at which the change happens. */
  at: number;
  property: PropertyValue | TextView;
  vector: VectorParts;
  /** Name that an enumeration defines; definition or name of a text index. */
  text: string;
}

/** Returns an operation with default values. */
export function makeOperation(): Operation {
  return {
    code: OperationCode.CreateVertex,
    vertex: 0,
    id: "",
    terminal: 0,
    terminalId: "",
    name: 0,
    modifier: 0,
    flags: 0,
    value: 0,
    c1: 1.5,
    c0: 0.5,
    expiresAt: 0,
    at: 0,
    property: null,
    vector: NULL_PARTS,
    text: "",
  };
}

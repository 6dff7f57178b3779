// What happens to a graph, as plain data. Every change of a graph is one of these: `apply` does it,
// `encodeOperation` writes it as the record that is logged and replicated. An operation says what
// is to be, not how it came about (a count carries the new value, a relative time is absolute), so
// that a record can be applied elsewhere, and twice.

import { NULL_PARTS, type VectorParts } from "../vectors/vector-parts.js";
import type { PropertyValue } from "./property-values.js";
import type { TextView } from "./text-view.js";

export const OperationCode = {
  /** Makes a vertex, or a virtual one real. */
  CreateVertex: 1,
  DeleteVertex: 2,
  SetType: 3,
  SetExpiry: 4,
  SetRank: 5,
  SetProperty: 6,
  RemoveProperty: 7,
  RemoveProperties: 8,
  /** Makes an arc or sets its value; makes its ends where they are missing. */
  Connect: 9,
  Disconnect: 10,
  /** All vertices of a type, or all. */
  Truncate: 11,
  /** Gives a code to the name of a relationship, type or property key. */
  Enumerate: 12,
  SetReadonly: 13,
  SetVector: 14,
  RemoveVector: 15,
  /** Asks for an index of the vectors of one length, or drops it. */
  IndexVectors: 16,
  /** Whether arcs get their times of creation and change beside them. */
  SetAutoTimes: 17,
  /** Makes or drops an index of a property, or of ids. */
  IndexProperty: 18,
  /** What similarity goes by in a graph. */
  SetSimilarity: 19,
} as const;

export type OperationCodeNumber = (typeof OperationCode)[keyof typeof OperationCode];

/**
 * One object for all operations, so that whoever handles them stays monomorphic; a store owns one
 * and uses it again for each change. Which members count is up to `code`.
 */
export interface Operation {
  code: OperationCodeNumber;
  /** Handle of the vertex or the initial, 0 when there is none yet: then `id` counts. */
  vertex: number;
  id: string | TextView;
  /** Handle of the terminal, 0 when there is none yet: then `terminalId` counts. */
  terminal: number;
  terminalId: string | TextView;
  /** Type, relationship or key; of an index 0 for the ids; which setting. */
  name: number;
  modifier: number;
  /** 1: forward-only. Of an index: candidates looked at for each new node, 0 to drop it. */
  flags: number;
  /**
   * Bits of the arc's value; 1 for readonly, automatic times, an index to be made; components of
   * the vectors of an index; the code that a name is to get, 0 for the next one.
   */
  value: number;
  /** Rank coefficients. */
  c1: number;
  c0: number;
  /** Seconds since 1970; NEVER for no expiry. */
  expiresAt: number;
  /** Seconds since 1970 at which it happens. */
  at: number;
  property: PropertyValue | TextView;
  vector: VectorParts;
  /** Name that an enumeration defines. */
  text: string;
}

/** The operation that a store uses again for each change. */
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

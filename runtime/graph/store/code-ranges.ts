// Code ranges of the three kinds of names, and the names with predefined codes.

import { Header } from "../memory/layout.js";
import type { CodeRange } from "./names.js";

/** Relationship of arcs created without one. */
export const RELATED = 256;
/** Relationship that represents all arcs between two vertices in queries; never stored. */
export const SYNTHETIC = 15;
export const SYNTHETIC_NAME = "__synthetic__";
/** Types of vertices without a type, and of vertices that represent a lock. */
export const UNTYPED = 17;
export const LOCK_TYPE = 18;

export const RELATIONSHIPS: CodeRange = {
  headerWord: Header.Relationships,
  firstCode: 512,
  lastCode: 16_127,
  system: [["__related__", RELATED]],
  exhausted: "Enumeration typespace exhausted (relationships)",
};

export const TYPES: CodeRange = {
  headerWord: Header.Types,
  firstCode: 32,
  lastCode: 239,
  system: [
    ["__vertex__", UNTYPED],
    ["lock_", LOCK_TYPE],
  ],
  exhausted: "Enumeration typespace exhausted (vertex types)",
};

export const KEYS: CodeRange = {
  headerWord: Header.Keys,
  firstCode: 1,
  lastCode: 65_535,
  system: [],
  exhausted: "Enumeration typespace exhausted (property keys)",
};

// Numbers of the three kinds of names in operations.

import type { GraphStore } from "./graph-store.js";
import type { NameEnumeration } from "./names.js";

/** `Operation.name` of an enumeration. */
export const NameKindCode = { Relationship: 0, Type: 1, Key: 2 } as const;
export type NameKindCodeNumber = (typeof NameKindCode)[keyof typeof NameKindCode];

/** By `NameKindCode`. */
export const NAME_KINDS: readonly ((store: GraphStore) => NameEnumeration)[] = [
  (store) => store.relationships,
  (store) => store.types,
  (store) => store.keys,
];

// What a vertex property can be.

/** Values that filters can look into; anything else that can be cloned is stored as it is. */
export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly number[]
  | ReadonlyMap<number, number>
  | object;

// In which order the entries of several sorted partials come.

/** Entry j of the merged response is entry `positions[j]` of view `sources[j]`. */
export interface EntryOrder {
  readonly sources: Uint8Array;
  readonly positions: Uint32Array;
}

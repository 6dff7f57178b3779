// How changes name vertices: by id, or by handle where the caller has one that cannot go away.

/** An id, or a handle. */
export type VertexKey = string | number;

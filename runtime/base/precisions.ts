// Names of the precisions of vectors in settings and options. Graphs store the position: append
// only.

export const PRECISIONS = ["int8", "float16", "float32", "binary"] as const;

// Names of the vector measures in settings and options. Graphs store the position: append only.

export const MEASURE_NAMES = ["cosine", "dot", "l2", "hamming"] as const;

// Terms of a probe vector that kernels use beside its integer components. These are int8 in a space
// of int8 vectors, and int16 in one of larger precision.

export interface ProbeTerms {
  /** Number of components that are compared. */
  readonly length: number;
  /** Factor of the integer components. */
  readonly scale: number;
  /** Scale divided by the norm; 0 for a zero vector. */
  readonly factor: number;
  readonly norm: number;
  /** Norm of what quantization to int16 lost; 0 in a space of int8 vectors, which compares int8. */
  readonly error: number;
}

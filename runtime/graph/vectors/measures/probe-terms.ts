// Terms of a probe vector that kernels use in addition to its integer components. The components
// are int8 in a space of int8 vectors, and int16 in a space of larger precision.

export interface ProbeTerms {
  /** Number of components that are compared. */
  readonly length: number;
  /** Factor of the integer components. */
  readonly scale: number;
  /** Scale divided by the norm; 0 for a zero vector. */
  readonly factor: number;
  readonly norm: number;
  /** Norm of the error of quantization to int16; 0 in a space of int8 vectors. */
  readonly error: number;
}

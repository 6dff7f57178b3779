// Formula of all scores that kernels compute, for two slots a and b with int8 components q:
//
//   factor * a.field * b.field * <a.q, b.q>  +  weight * (|a|^2 + |b|^2)
//
// where `field` is the scale of a slot or 1/|q|, and |a| the norm of its components times scale.

import { Slot } from "../vector-layout.js";
import type { ProbeTerms } from "./probe-terms.js";

export interface KernelForm {
  /** Offset of a word: `Slot.Scale` or `Slot.Factor`. */
  readonly field: number;
  readonly factor: number;
  readonly weight: number;
}

/** Arguments of kernels that compare slots with a probe. */
export interface KernelTerms {
  /** Offset in bytes. */
  readonly field: number;
  readonly factor: number;
  readonly weight: number;
  readonly base: number;
}

/** Substitutes a probe into the formula. */
export function bindForm({ field, factor, weight }: KernelForm, probe: ProbeTerms): KernelTerms {
  const probeFactor = field === Slot.Scale ? probe.scale : probe.factor;
  const base = weight === 0 ? 0 : weight * probe.norm * probe.norm;
  return { field: field * 4, factor: factor * probeFactor, weight, base };
}

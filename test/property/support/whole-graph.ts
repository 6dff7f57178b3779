// The graph that one thread writes as a whole while another reads it.

/** A vertex with outarcs, and one with inarcs, from and to the same leaves. */
export const FROM = "from";
export const TO = "to";
export const LEAVES = 140;
export const TYPES = ["even", "odd"];
const FEWEST = 40;

/** Arcs of both vertices for a number: runs of all sizes, with and without an index. */
export function arcsFor(number: number): number {
  return FEWEST + (Math.abs(number) % (LEAVES - FEWEST));
}

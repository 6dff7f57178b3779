// Geographic functions, on coordinates and on the rank coefficients of vertices.

import type { Context } from "../context.js";
import { asNumber, boxedReal, type Value, VertexRef } from "../values.js";
import { type FunctionRow, fixed, numeric, variadic } from "./row.js";

const RADIUS_M = 6_371_001;
const FARTHEST_M = Math.PI * RADIUS_M;
const TO_RADIANS = Math.PI / 180;

/** Returns the distance in meters of two coordinates in degrees; the maximum if one is invalid. */
function distance(latA: number, lonA: number, latB: number, lonB: number): number {
  const [a, b] = [latA * TO_RADIANS, latB * TO_RADIANS];
  const turn = (lonB - lonA) * TO_RADIANS;
  const half = (1 - Math.cos(b - a)) / 2 + (Math.cos(a) * Math.cos(b) * (1 - Math.cos(turn))) / 2;
  const meters = RADIUS_M * 2 * Math.atan(Math.sqrt(half) / Math.sqrt(1 - half));
  return Number.isNaN(meters) || half >= 1 ? FARTHEST_M : meters;
}

function proximity(latA: number, lonA: number, latB: number, lonB: number): number {
  return 1 - distance(latA, lonA, latB, lonB) / FARTHEST_M;
}

function geoRow(name: string, doc: string, of: typeof distance): FunctionRow {
  const row = numeric(name, 4, "real", doc, of);
  return {
    ...row,
    call: (_x, ...coordinates) => {
      const [a, b, c, d] = coordinates.map((value) => asNumber(value ?? null));
      return boxedReal(of(a!, b!, c!, d!));
    },
  };
}

/**
 * Returns the proximity of the head, whose coefficients are its coordinates, to a vertex or a
 * point.
 */
function rankAt({ store: { vertices }, next }: Context, a: Value, b: Value | undefined): Value {
  const head = [vertices.c1(next.handle), vertices.c0(next.handle)] as const;
  if (b !== undefined) return boxedReal(proximity(...head, asNumber(a), asNumber(b)));
  if (!(a instanceof VertexRef)) return boxedReal(0);
  return boxedReal(proximity(...head, vertices.c1(a.handle), vertices.c0(a.handle)));
}

export const GEO: readonly FunctionRow[] = [
  variadic(
    "rank",
    0,
    "real",
    "(...): next.c1 * sum of the arguments + next.c0",
    ({ store: { vertices }, next: { handle } }, args) => {
      let sum = 0;
      for (const value of args) if (value !== null) sum += asNumber(value);
      return boxedReal(vertices.c1(handle) * sum + vertices.c0(handle));
    },
    { need: "head" },
  ),
  geoRow(
    "geodist",
    "(latA, lonA, latB, lonB): meters between two points given in degrees",
    distance,
  ),
  geoRow(
    "geoprox",
    "(latA, lonA, latB, lonB): proximity, 1 (same place) to 0 (antipode)",
    proximity,
  ),
  fixed(
    "georank",
    [1, 2],
    "real",
    "(v) or (lat, lon): geoprox of the head's (c1, c0) and those of v, or (lat, lon)",
    (x, a, b) => rankAt(x, a!, b),
    { need: "head" },
  ),
];

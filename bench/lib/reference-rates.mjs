// Rates of the reference system (a C engine called from Python, one thread, in process), in
// operations per second, on a quiet machine where a Map of Maps took 600,000 random arcs per
// second. That yardstick scales them to the machine that runs the benchmark.

export const REFERENCE_YARDSTICK = 600_000;

/** By row name; lists are for degrees of 10, 100 and 10,000. */
export const REFERENCE_RATES = {
  createVertex: 380_000,
  "connect by ids, random pairs": 370_000,
  "connect from an open vertex": 288_000,
  "connect to a list of 20,000, each": 597_000,
  "open, set 2 properties, close": 291_000,
  disconnect: 236_000,
  "delete a vertex of degree 20": 166_000,
  "delete a vertex of degree 20, random neighbors": 166_000,
  "open for reading, close": 1_850_000,
  "degree(id)": 3_200_000,
  "adjacent(id, id)": 630_000,
  "neighborhood: arcs as texts": [205_000, 31_400, 317],
  "neighborhood: all ids as lists": [328_000, 105_000, 934],
  "neighborhood: 10 hits": [292_000, 277_000, 280_000],
  "neighborhood: by value, 10 hits": [264_000, 175_000, 8300],
  "neighborhood: arc value, 10 hits": [279_000, 238_000, 244_000],
  "neighborhood: expression, by value, 10 hits": [197_000, 136_000, 4200],
  "neighborhood: property, by value, 10 hits": [215_000, 97_000, 1600],
  "neighborhood: rank, select, dict, 10 hits": [85_000, 53_000, 1400],
  "neighborhood: counts": [341_000, 262_000, 9100],
  "two levels, count of 103": 185_000,
  "two levels, count of 980": 42_700,
  "two levels, count of 100,110": 339,
  "two levels, 10 hits, counts of 103": 185_000,
  "two levels, 10 hits, counts of 980": 42_700,
  "two levels, 10 hits, counts of 100,110": 339,
  "vertices: 10 hits": 275_000,
  "vertices: by degree, 10 hits": 640,
  "vertices: property, by id, 10 hits": 707,
  "vertices: all ids": 43,
  "arcs by value, 10 of 1,000,000": 17,
  "evaluate 1+2*3": 600_000,
  "evaluate a definition": 1_280_000,
};

/** Target speedup of each row over the reference. */
export const TARGET_SPEEDUPS = {
  createVertex: 2,
  "connect by ids, random pairs": 3,
  "connect from an open vertex": 2,
  "connect to a list of 20,000, each": 2,
  "open, set 2 properties, close": 1.5,
  disconnect: 1.5,
  "delete a vertex of degree 20": 1.5,
  "delete a vertex of degree 20, random neighbors": 1.5,
  "open for reading, close": 1.5,
  "degree(id)": 1,
  "neighborhood: arcs as texts (100)": 1.5,
  "neighborhood: arcs as texts (10000)": 1.5,
  "neighborhood: property, by value, 10 hits (100)": 2,
  "neighborhood: by value, 10 hits (100)": 2.5,
  "two levels, count of 103": 3,
  "two levels, count of 980": 3,
  "two levels, count of 100,110": 3,
  "two levels, 10 hits, counts of 103": 2.5,
  "two levels, 10 hits, counts of 980": 2.5,
  "two levels, 10 hits, counts of 100,110": 2.5,
  "vertices: 10 hits": 2,
  "vertices: property, by id, 10 hits": 3,
};

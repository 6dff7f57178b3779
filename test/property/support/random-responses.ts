// Compatible responses of partitions: one kind of keys, one direction, few different keys so that
// many are equal, and everything that a plugin may set.

import * as S from "../../../runtime/base/sort-constants.js";
import { compareKeys, isDescending, type SortKey } from "../../../runtime/base/sort-order.js";
import type { PluginResponse as Response } from "../../../runtime/index.js";
import * as types from "../../../runtime/plugin/contract/types.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";
import type { Random } from "./random.js";

type MakeKey = (random: Random) => SortKey;

const TEXTS = ["", "a", "aa", "b", "é", "\u{1f600}", "\uffff", '"\\\n', "vertex/1", "vertex/10"];
const INFINITE = Number.POSITIVE_INFINITY;

const int: MakeKey = (random) => random.of([random.below(9) - 4, Number.MAX_SAFE_INTEGER, -0]);
const float: MakeKey = (random) => random.of([int(random), 0.5, -1e-300, 1e300, INFINITE]);
const text: MakeKey = (random) => random.of(TEXTS) + random.of(TEXTS);
const bytes: MakeKey = (random) => Uint8Array.from(random.list(2, () => random.below(256)));
const mixed: MakeKey = (random) => random.of([float, text, bytes])(random);

/** Sort kinds, declarable key types (null: none), keys. */
const SORTS: readonly [number[], (types.Converter<SortKey> | null)[], MakeKey][] = [
  [[S.S_VAL, S.S_DEG, S.S_TMC, S.S_NONE], [null, types.int], int],
  [[S.S_VAL, S.S_RANK, S.S_SIM, S.S_NONE], [null, types.float], float],
  [[S.S_ID, S.S_ANCHOR, S.S_NONE], [null, types.str], text],
  [[S.S_ID, S.S_OBID, S.S_NONE], [null, types.bytes], bytes],
  [[S.S_NATIVE, S.S_RANDOM], [null], mixed],
  [[S.S_NATIVE], [types.int], int],
  [[S.S_NATIVE], [types.str], text],
];

/** As many responses; null for some partitions if `isIncomplete`, never for all. */
export function randomResponses(
  random: Random,
  width: number,
  isIncomplete: boolean,
): (Response | null)[] {
  const [kinds, keytypes, makeKey] = random.of(SORTS);
  const sortby = random.of(kinds) | random.of([S.S_ASC, S.S_DESC]);
  const keytype = random.of(keytypes);
  const maxEntries = random.of([0, 3, 30]);
  const arriving = random.below(width);
  return Array.from({ length: width }, (_, partition) => {
    if (isIncomplete && partition !== arriving && random.below(4) === 0) return null;
    const response = new PluginResponse({ sortby, keytype });
    const keys = random.list(maxEntries, () => makeKey(random));
    const sign = isDescending(sortby) ? -1 : 1;
    if (makeKey !== mixed) keys.sort((a, b) => sign * compareKeys(a, b));
    for (const key of keys) response.append(key, randomItem(random));
    setOthers(random, response);
    return response;
  });
}

function setOthers(random: Random, response: Response): void {
  response.maxhits = random.of([-1, -1, 0, 1, 10, 1000]);
  response.i0 = random.below(2000) - 1000;
  response.i1 = random.of([0, -(2 ** 40)]);
  // The sum of these is exact in any order.
  response.f2 = random.below(1000) / 4;
  response.f3 = random.of([0, INFINITE, -0.5]);
  response.partials = 1 + random.below(5);
  if (random.below(2) === 0) response.hitcount = random.below(1e9);
  if (random.below(2) === 0) response.message = "note é";
  if (random.below(2) === 0) response.meta = randomItem(random);
}

export function randomItem(random: Random, depth = 0): unknown {
  switch (random.below(depth > 2 ? 4 : 6)) {
    case 0:
      return null;
    case 1:
      return random.below(1e9) / 8;
    case 2:
      return random.of(TEXTS);
    case 3:
      return "long ".repeat(random.below(20));
    case 4:
      return random.list(3, () => randomItem(random, depth + 1));
    default:
      return { id: random.of(TEXTS), next: randomItem(random, depth + 1) };
  }
}

// Folding of UTF-16 code units to the units of indexed words. Pages of 256 units are
// computed on first use, because the whole table takes 30 ms and most texts need three pages.

/** Role of a code unit in a text. */
export const UnitClass = {
  Unknown: 0,
  /** Ends a word. */
  Separator: 1,
  /** One unit of a word; `folded` has its folded form. */
  Letter: 2,
  /** Ignored: accents and other marks. */
  Dropped: 3,
  /** Several units, see `findExpansion`. */
  Several: 4,
  /** A character of a script without spaces, where words are pairs of characters. */
  Pair: 5,
  /** First surrogate of a code point beyond 16 bits. */
  Surrogate: 6,
  /** Part of a character that must be composed first. */
  Composed: 7,
} as const;

const UNITS = 65_536;
const PAGE = 256;

/** Letters without a decomposition by normalization. */
const SPECIAL: readonly (readonly [RegExp, string])[] = [
  [/ß/g, "ss"],
  [/ø/g, "o"],
  [/æ/g, "ae"],
  [/ł/g, "l"],
  [/[đð]/g, "d"],
  [/ı/g, "i"],
  [/œ/g, "oe"],
  [/þ/g, "th"],
  [/ς/g, "σ"],
];

/** Marks and strokes that do not distinguish words, unlike the marks of other scripts. */
const MARK_RANGES = [
  "\\u0300-\\u036f",
  "\\u0483-\\u0489",
  "\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7",
  "\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670",
  "\\u1ab0-\\u1aff",
  "\\u1dc0-\\u1dff",
  "\\u20d0-\\u20ff",
  "\\ufe20-\\ufe2f",
];
const IGNORED = `[\\p{Default_Ignorable_Code_Point}${MARK_RANGES.join("")}]`;
/**
 * Removed from words: these marks, and invisible characters such as soft hyphens. The zero width
 * space separates words. Й is a letter of its own, by which stemmers recognize endings.
 */
const DROPPED = new RegExp(`(?<![Ии](?=\\u0306))(?!\\u200b)${IGNORED}`, "gu");
const LETTER = /^[\p{L}\p{N}\p{M}]$/u;
const PAIRED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const PAIRED = new RegExp(
  `^[${PAIRED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join("")}\\u30fc]$`,
  "u",
);
/** The breve, Jamo, and the voicing marks of kana. */
const COMPOSED = /^[\u0306\u1100-\u11ff\u3099\u309a\uff9e\uff9f]$/;
const HALFWIDTH_KANA = /[\uff66-\uff9f]+/g;
const HIGH_SURROGATE = /^[\ud800-\udbff]$/;

/** Class of each code unit; `Unknown` until its page is computed. */
export const unitClasses = new Uint8Array(UNITS);
/** Folded form of the units of class `Letter` and `Pair`. */
export const foldedUnits = new Uint16Array(UNITS);
const expansions = new Map<number, string>();
const astral = new Map<number, string>();

/** Folds a text like the tokenizer, without splitting it into words. */
export function foldText(text: string): string {
  let folded = text.normalize("NFKD").replace(DROPPED, "").toLowerCase();
  // The lower case of İ adds a combining mark.
  folded = folded.normalize("NFKD").replace(DROPPED, "");
  for (const [letter, replacement] of SPECIAL) folded = folded.replace(letter, replacement);
  return folded.normalize("NFC");
}

/** Composes the characters of class `Composed` with those before them. */
export function composeText(text: string): string {
  return text.replace(HALFWIDTH_KANA, (kana) => kana.normalize("NFKC")).normalize("NFC");
}

/** True for a folded character that belongs to a word. */
export function isWordCharacter(character: string): boolean {
  return LETTER.test(character);
}

/** True for a folded character of a script without spaces between words. */
export function isPairCharacter(character: string): boolean {
  return PAIRED.test(character) && LETTER.test(character);
}

/** Computes the page of a unit. */
export function computePage(unit: number): void {
  const first = unit - (unit % PAGE);
  for (let at = first; at < first + PAGE; at++) unitClasses[at] = classify(at);
}

function classify(unit: number): number {
  const character = String.fromCharCode(unit);
  if (HIGH_SURROGATE.test(character)) return UnitClass.Surrogate;
  if (COMPOSED.test(character)) return UnitClass.Composed;
  const folded = foldText(character);
  if (folded === "") return UnitClass.Dropped;
  if (folded.length > 1) {
    expansions.set(unit, folded);
    return UnitClass.Several;
  }
  if (!isWordCharacter(folded)) return UnitClass.Separator;
  foldedUnits[unit] = folded.charCodeAt(0);
  return isPairCharacter(folded) ? UnitClass.Pair : UnitClass.Letter;
}

/** Folded form of a unit of class `Several`. */
export function findExpansion(unit: number): string {
  return expansions.get(unit) ?? "";
}

/** Folded form of a code point beyond 16 bits; empty if it belongs to no word. */
export function foldedPoint(point: number): string {
  let folded = astral.get(point);
  if (folded === undefined) {
    folded = foldText(String.fromCodePoint(point));
    if (astral.size >= MAX_ASTRAL) astral.clear();
    astral.set(point, folded);
  }
  return folded;
}
const MAX_ASTRAL = 65_536;

// Splitting texts into words, compared with normalization and regular expressions.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { foldText, isPairCharacter } from "../../../../runtime/graph/texts/analysis/fold-table.js";
import { Tokenizer } from "../../../../runtime/graph/texts/analysis/tokenizer.js";
import { MAX_WORD_UNITS, WordForms } from "../../../../runtime/graph/texts/analysis/word-forms.js";

const test = suite("tokenizer");

function makeTokenizer(): Tokenizer {
  return new Tokenizer(new WordForms((form) => form));
}

function readWords(text: string, tokenizer = makeTokenizer()): string[] {
  const count = tokenizer.read(text);
  return Array.from(tokenizer.terms.subarray(0, count), (term) => tokenizer.forms.textOf(term));
}

/** The same by normalization and a regular expression. */
function naiveWords(text: string): string[] {
  return [...foldText(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([word]) => {
    const words: string[] = [];
    let [letters, pairs]: [string, string[]] = ["", []];
    const end = (): void => {
      if (letters !== "") words.push(letters);
      if (pairs.length === 1) words.push(pairs[0]!);
      for (let index = 1; index < pairs.length; index++)
        words.push(pairs[index - 1]! + pairs[index]!);
      [letters, pairs] = ["", []];
    };
    for (const character of word) {
      const isPair = isPairCharacter(character);
      if (isPair ? letters !== "" : pairs.length > 0) end();
      if (isPair) pairs.push(character);
      else letters += character;
    }
    end();
    return words;
  });
}

test("folds each code unit as normalization does", () => {
  const tokenizer = makeTokenizer();
  for (let unit = 0; unit < 0x1_0000; unit++) {
    const text = `a${String.fromCharCode(unit)}b`;
    const words = readWords(text, tokenizer);
    assert.equal(words, naiveWords(text), `U+${unit.toString(16)}: ${words}`);
  }
});

test("splits at characters other than letters, digits and marks", () => {
  assert.equal(readWords("Don't stop: wi-fi 802.11ac"), [
    ...["don", "t", "stop", "wi", "fi", "802", "11ac"],
  ]);
  assert.equal(readWords(" \n- "), []);
});

test("removes accents and expands special letters", () => {
  assert.equal(readWords("Crème BRÛLÉE Straße Ørsted Łódź ﬁn İstanbul"), [
    ...["creme", "brulee", "strasse", "orsted", "lodz", "fin", "istanbul"],
  ]);
  assert.equal(readWords("cre\u0300me"), ["creme"]);
});

test("keeps the vowel signs of scripts that need them", () => {
  assert.equal(readWords("हिन्दी"), ["हिन्दी".normalize("NFC")]);
});

test("makes pairs of the characters of scripts without spaces", () => {
  assert.equal(readWords("東京都 a"), ["東京", "京都", "a"]);
  assert.equal(readWords("x東y"), ["x", "東", "y"]);
  assert.equal(readWords("한국어"), ["한국", "국어"]);
  assert.equal(readWords("𠀀𠀁𠀂"), ["𠀀𠀁", "𠀁𠀂"]);
});

test("composes decomposed characters", () => {
  assert.equal(readWords("か\u3099き"), ["がき"]);
  assert.equal(readWords("한국".normalize("NFD")), ["한국"]);
});

test("composes kana of half width", () => {
  assert.equal(readWords("ｶﾞﾝﾀﾞﾑ"), readWords("ガンダム"));
});

test("keeps the letter Й in both forms, without other breves", () => {
  const text = "Й й ў ă x\u0306";
  for (const form of ["NFC", "NFD"]) {
    assert.equal(readWords(text.normalize(form)), ["й", "й", "у", "a", "x"], form);
  }
});

test("ignores invisible characters within words", () => {
  assert.equal(readWords("so\u00adft le\u2060f\ufefft a\u200eb"), ["soft", "left", "ab"]);
  assert.equal(readWords("❤️ 1️⃣ ☀️"), ["1"]);
  assert.equal(readWords("葛\u{e0100}城市"), ["葛城", "城市"]);
  assert.equal(readWords("ســلام"), ["سلام"]);
  assert.equal(readWords("a\u200bb"), ["a", "b"]);
});

test("composes a text once", () => {
  let composed = 0;
  const { normalize } = String.prototype;
  String.prototype.normalize = function (form) {
    if (this.length > 100) composed++;
    return normalize.call(this, form);
  };
  try {
    assert.is(makeTokenizer().read("\u1100x".repeat(1000)), 2000);
  } finally {
    String.prototype.normalize = normalize;
  }
  assert.is(composed, 1);
});

test("reads lone surrogates and symbols beyond 16 bits as separators", () => {
  assert.equal(readWords("a\ud800b \udc00c 😀d"), ["a", "b", "c", "d"]);
});

test("truncates words that are too long", () => {
  assert.equal(readWords("a".repeat(300)), ["a".repeat(MAX_WORD_UNITS)]);
});

test("returns the positions of words", () => {
  const tokenizer = makeTokenizer();
  tokenizer.keepsRanges = true;
  const text = "Crème, 東京都!";
  const count = tokenizer.read(text);
  const places = tokenizer.ranges.subarray(0, count * 2);
  const tokens = Array.from({ length: count }, (_, word) =>
    text.slice(places[word * 2]!, places[word * 2 + 1]!),
  );
  assert.equal(tokens, ["Crème", "東京", "京都"]);
});

test("maps word forms to the same term, also many of them", () => {
  const tokenizer = makeTokenizer();
  const words = Array.from({ length: 20_000 }, (_, index) => `w${index}`);
  const terms = (text: string): number[] => {
    const count = tokenizer.read(text);
    return [...tokenizer.terms.subarray(0, count)];
  };
  const first = terms(words.join(" "));
  assert.is(new Set(first).size, words.length);
  assert.equal(terms(words.join(",")), first);
});

test.run();

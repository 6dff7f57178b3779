// Languages for stemming. Stemmers and stop words come from packages that a project installs:
// `snowball-stemmers` and `@orama/stopwords`.

import { createRequire } from "node:module";
import { join } from "node:path";
import { ValueError } from "../../model/errors.js";
import { foldText } from "./fold-table.js";

export interface Language {
  /** Returns the stem; empty if nothing is left. */
  stem(form: string): string;
  /** Folded, as the words that they are compared with. */
  readonly stopWords: ReadonlySet<string>;
}

/** No stemming. */
export const NO_LANGUAGE = "none";

const STEMMERS = "snowball-stemmers";
const STOP_WORDS = "@orama/stopwords";

/** Language names used by the packages. */
const NAMES: { readonly [code: string]: string } = {
  ar: "arabic",
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  hy: "armenian",
  it: "italian",
  nl: "dutch",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sl: "slovene",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
};

/** Languages without stop words. The package has a Slovenian list, but it is the Russian one. */
const WITHOUT_STOP_WORDS = ["ca", "cs", "eu", "sl"];

/** Codes of all languages. */
export const LANGUAGE_CODES: readonly string[] = [NO_LANGUAGE, ...Object.keys(NAMES)];

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Returns a language by its code.
 * @throws ValueError if the language is unknown, or its package is not installed
 */
export function findLanguage(code: string, hasStopWords: boolean): Language {
  if (code === NO_LANGUAGE) return { stem: (form) => form, stopWords: NOTHING };
  const name = Object.hasOwn(NAMES, code) ? NAMES[code] : undefined;
  if (name === undefined) throw new ValueError(`unknown language: '${code}'`);
  const { newStemmer } = load(STEMMERS, code) as Stemmers;
  const stemmer = newStemmer(name);
  return {
    stem: (form) => stemmer.stem(form),
    stopWords: hasStopWords ? stopWordsOf(name, code) : NOTHING,
  };
}

interface Stemmers {
  newStemmer(name: string): { stem(form: string): string };
}

function stopWordsOf(name: string, code: string): ReadonlySet<string> {
  if (WITHOUT_STOP_WORDS.includes(code)) return NOTHING;
  const { stopwords } = load(`${STOP_WORDS}/${name}`, code) as { readonly stopwords: string[] };
  return new Set(stopwords.map(foldText));
}

function load(name: string, code: string): unknown {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return createRequire(from)(name);
    } catch {
      // The package may be installed in the other location.
    }
  }
  const packages = `npm install ${STEMMERS} ${STOP_WORDS}`;
  throw new ValueError(`language '${code}' needs ${name}, which is not installed: ${packages}`);
}

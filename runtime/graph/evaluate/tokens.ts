// Scanner: text to tokens in one pass over char codes. Skips white space and comments, and
// evaluates literals.

import { expressionError } from "./expression-error.js";
import { wrapInt } from "./ints.js";
import { MAX_TEXT, MAX_TOKENS } from "./limits.js";
import { Pattern } from "./pattern.js";

export const TokenKind = {
  Int: "#i",
  /** An int above `MAX_SHORT`; results of operators on shorter ints are exact as doubles. */
  Long: "#l",
  Real: "#r",
  Text: "$",
  Wide: "wide",
  Bits: "bits",
  Bytes: "bytes",
  Pattern: "pattern",
  Name: "name",
  Symbol: "symbol",
  End: "end",
} as const;
export type TokenKindName = (typeof TokenKind)[keyof typeof TokenKind];

export interface Token {
  readonly kind: TokenKindName;
  /** Offset of the first character, and offset after the last one. */
  readonly at: number;
  readonly end: number;
  /** A name or a symbol. */
  readonly text: string;
  /** Value of a literal. */
  readonly value: number | string | bigint | Uint8Array | Pattern | null;
}

const SYMBOLS = [
  ...["**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", ":="],
  ..."+-*/%<>&|^!~?:=,;()[]{}",
];
/** Largest int of kind `Int`. */
export const MAX_SHORT = 2 ** 20;
const BLANK = /[ \t\r\n]/y;
const NUMBER = /0[xX][0-9a-fA-F]+|0[bB][01]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/y;
const NAME = /\.?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/y;
const IS_WORD = /[A-Za-z0-9_.]/;

export class Scanner {
  readonly #text: string;
  #at = 0;

  private constructor(text: string) {
    this.#text = text;
  }

  /**
   * @param from offset to start at
   * @throws QueryError an invalid token, or too many of them
   */
  static scan(text: string, from = 0): Token[] {
    if (text.length * 3 > MAX_TEXT) {
      const bytes = Buffer.byteLength(text);
      if (bytes > MAX_TEXT) throw expressionError("expression too long", text, 0, `${bytes} bytes`);
    }
    const scanner = new Scanner(text);
    scanner.#at = from;
    const tokens: Token[] = [];
    for (;;) {
      const token = scanner.#next();
      tokens.push(token);
      if (token.kind === TokenKind.End) return tokens;
      if (tokens.length > MAX_TOKENS) {
        throw expressionError("expression too long: too many tokens", text, token.at, "");
      }
    }
  }

  #next(): Token {
    this.#skip();
    const text = this.#text;
    const at = this.#at;
    if (at >= text.length) return { kind: TokenKind.End, at, end: at, text: "", value: null };
    const first = text[at]!;
    if (first === "'" || first === '"') return this.#quoted(at, false);
    if (first === "b" && (text[at + 1] === "'" || text[at + 1] === '"')) {
      this.#at++;
      return this.#quoted(at, true);
    }
    const number = this.#match(NUMBER);
    if (number !== null) return this.#number(at, number);
    const name = this.#match(NAME);
    if (name !== null) return { kind: TokenKind.Name, at, end: this.#at, text: name, value: null };
    for (const symbol of SYMBOLS) {
      if (!text.startsWith(symbol, at)) continue;
      this.#at += symbol.length;
      return { kind: TokenKind.Symbol, at, end: this.#at, text: symbol, value: null };
    }
    throw expressionError("invalid expression", text, at, first);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at += found[0].length;
    return found[0];
  }

  #skip(): void {
    const text = this.#text;
    for (;;) {
      const at = this.#at;
      if (text.startsWith("//", at)) {
        const end = text.indexOf("\n", at);
        this.#at = end < 0 ? text.length : end + 1;
      } else if (text.startsWith("/*", at)) {
        const end = text.indexOf("*/", at + 2);
        if (end < 0) throw expressionError("unterminated comment", text, at, "/*");
        this.#at = end + 2;
      } else if (this.#match(BLANK) === null) return;
    }
  }

  #number(at: number, written: string): Token {
    const end = this.#at;
    const text = this.#text;
    // A number must not run into a word: 1e, .5.5, 0b12, 3x.
    if (end < text.length && IS_WORD.test(text[end]!)) {
      throw expressionError("invalid number", text, at, text.slice(at, end + 1));
    }
    const token = (kind: TokenKindName, value: number | bigint): Token => {
      return { kind, at, end, text: written, value };
    };
    if (/^0[bB]/.test(written)) return token(TokenKind.Bits, BigInt.asUintN(64, BigInt(written)));
    const isHex = /^0[xX]/.test(written);
    if (!isHex && /[.eE]/.test(written)) {
      const value = Number(written);
      return token(TokenKind.Real, Number.isFinite(value) ? value : Number.NaN);
    }
    const number = Number(written);
    if (number <= MAX_SHORT) return token(TokenKind.Int, number);
    const int = Number.isSafeInteger(number) ? number : wrapInt(BigInt(written));
    return token(typeof int === "number" ? TokenKind.Long : TokenKind.Wide, int);
  }

  /** Scans a quoted string; its escapes are `\\` and `\xHH`. */
  #quoted(at: number, isBytes: boolean): Token {
    const text = this.#text;
    const quote = text[this.#at]!;
    let decoded = "";
    let isEscaped = false;
    /** Offsets of the stars that make it a pattern. */
    const stars: number[] = [];
    let index = this.#at + 1;
    for (; ; index++) {
      const character = text[index];
      if (character === undefined) {
        throw expressionError("unexpected end of expression", text, at, quote);
      }
      if (character === quote) break;
      if (character === "\\") {
        const [plain, length] = this.#escape(index);
        decoded += plain;
        isEscaped ||= plain > "\x7f";
        index += length - 1;
      } else {
        if (character === "*") stars.push(decoded.length);
        decoded += character;
      }
    }
    this.#at = index + 1;
    return this.#literal(
      at,
      isEscaped ? this.#utf8(decoded, at) : decoded,
      stars,
      isBytes ? decoded : null,
    );
  }

  /** Returns the value of an escape and its number of characters. */
  #escape(at: number): readonly [string, number] {
    const text = this.#text;
    if (text.startsWith("\\\\*", at)) return ["*", 3];
    if (text[at + 1] === "\\") return ["\\", 2];
    const hex = text.slice(at + 2, at + 4);
    if (text[at + 1] === "x" && /^[0-9a-fA-F]{2}$/.test(hex)) {
      return [String.fromCharCode(Number.parseInt(hex, 16)), 4];
    }
    throw expressionError("invalid escape sequence", text, at, text.slice(at, at + 2));
  }

  /** `\xHH` are UTF-8 bytes; other characters stay as they are. */
  #utf8(decoded: string, at: number): string {
    if (/[^\0-\xff]/.test(decoded)) {
      throw expressionError("invalid escape sequence", this.#text, at, "\\x beside wide letters");
    }
    return Buffer.from(decoded, "latin1").toString("utf8");
  }

  #literal(at: number, decoded: string, stars: readonly number[], bytes: string | null): Token {
    const end = this.#at;
    const shown = this.#text.slice(at, end);
    if (bytes !== null) {
      const value = new Uint8Array(Buffer.from(bytes, "latin1"));
      return { kind: TokenKind.Bytes, at, end, text: shown, value };
    }
    if (stars.length === 0) return { kind: TokenKind.Text, at, end, text: shown, value: decoded };
    const value = Pattern.make(decoded, stars);
    if (value === null) throw expressionError("illegal wildcard", this.#text, at, shown);
    return { kind: TokenKind.Pattern, at, end, text: shown, value };
  }
}

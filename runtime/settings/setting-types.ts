// Types of settings: the rule for values, and how text from a command-line option or an environment
// variable is parsed. The rule validates both.

import { isIP } from "node:net";
import { HOST_PORT } from "../base/host-port.js";
import { isNetwork } from "../base/network.js";
import { expected, isBoolean, list, nullable, type Rule, string, test } from "./rules.js";

/** @template Given type accepted in `svc.config.ts` and programs, if different from `T` */
export interface SettingType<T, Given = T> {
  readonly rule: Rule<T>;
  /** Expected text; for messages of the command line. */
  readonly expected: string;
  /** Placeholder of the value in help texts; null for a switch, which may stand alone. */
  readonly placeholder: string | null;
  /** Parses a text. */
  readonly read: (text: string) => unknown;
  /** Never set; carries a type. */
  readonly given?: Given;
}

/** @param pattern of valid values */
export function stringSetting(
  placeholder: string,
  expectation = "a non-empty string",
  pattern = /\S/,
): SettingType<string> {
  return {
    rule: string(expectation, pattern),
    expected: expectation,
    placeholder,
    read: (value) => value,
  };
}

/** Path of a file. */
export const file = stringSetting("<file>", "a file path", /^(?=.*\S)[^\p{Cc}]+$/u);

/** The transport validates the rest of the URI. */
export const streamUri = stringSetting(
  "<uri>",
  "nats://host:port/NAME",
  /^nats:\/\/[^\s/?]+\/[\w-]{1,64}(\?[\x21-\x7e]*)?$/,
);

/** Returns the same type, extended by null. */
export function optional<T, Given>(
  type: SettingType<T, Given>,
): SettingType<T | null, Given | null> {
  // Not spread: `given` has another type.
  const { expected, placeholder, read } = type;
  return { rule: nullable(type.rule), expected, placeholder, read };
}

export function integer(min: number, max: number): SettingType<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  const expectation = `an integer ${range}`;
  const isInside = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  return {
    rule: test(expectation, isInside, min),
    expected: expectation,
    placeholder: "<n>",
    read: (value) => (/^\d{1,16}$/.test(value) ? Number(value) : value),
  };
}

/** Returns the type of an integer or one other value. */
export function integerOr<T extends number | string>(
  other: T,
  minimum: number,
  maximum: number,
): SettingType<number | T> {
  const number = integer(minimum, maximum);
  const expectation = `${number.expected}, or ${JSON.stringify(other)}`;
  const isNumber = (value: unknown) => {
    return (
      Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum
    );
  };
  return {
    rule: test<number | T>(expectation, (value) => value === other || isNumber(value), other),
    expected: expectation,
    placeholder: typeof other === "string" ? `<n|${other}>` : "<n>",
    read: number.read,
  };
}

const WORDS = new Map<string, boolean>([
  ["1", true],
  ["true", true],
  ["0", false],
  ["false", false],
]);

/** @param meaning value of a bare option or variable; false for options that disable something */
export function booleanSetting(meaning = true): SettingType<boolean> {
  return {
    rule: isBoolean,
    expected: "1, 0, true or false",
    placeholder: null,
    read(word) {
      const value = WORDS.get(word);
      return value === undefined ? word : value === meaning;
    },
  };
}

/** Returns the type of a boolean with a third state. */
export function booleanOr<const T extends string>(word: T): SettingType<boolean | T> {
  const expectation = `true, false or ${JSON.stringify(word)}`;
  const isRight = (value: unknown) => typeof value === "boolean" || value === word;
  return {
    rule: test<boolean | T>(expectation, isRight, false),
    expected: `1, 0, true, false or ${word}`,
    placeholder: `<true|false|${word}>`,
    read: (value) => WORDS.get(value) ?? value,
  };
}

export function enumSetting<const T extends string>(...words: readonly T[]): SettingType<T> {
  const expectation = `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`;
  return {
    rule: test(expectation, (value) => words.includes(value as T), words[0]!),
    expected: `one of ${words.join(", ")}`,
    placeholder: `<${words.join("|")}>`,
    read: (value) => value,
  };
}

/** A local address, or a name that is resolved at the start. */
export const address: SettingType<string> = {
  rule: test("an address or a host name", isAddress, ""),
  expected: "an address or a host name",
  placeholder: "<address>",
  read: (value) => value,
};

function isAddress(value: unknown): boolean {
  if (typeof value !== "string" || value.length > 253) return false;
  if (isIP(value) !== 0) return true;
  // A name with a numeric last label is a malformed address.
  return /^(?!-)[\w-]{1,63}(?:\.[\w-]{1,63})*\.?$/.test(value) && !/(?:^|\.)\d+\.?$/.test(value);
}

const PREFIX_FORM = "a path of A-Z a-z 0-9 - . / = @ _ ~ that does not start with /svc";

/** A path with one leading slash and no trailing one; the empty text means none. */
export const prefix: SettingType<string | null> = {
  rule(value, path, problems) {
    if (value === null || value === "") return null;
    if (typeof value === "string" && /^[A-Za-z0-9\-./=@_~]+$/.test(value)) {
      const inner = value.replace(/^\/+|\/+$/g, "");
      const segments = inner.split("/");
      const hidesPaths = segments.some((segment) => segment === "" || /^\.{1,2}$/.test(segment));
      if (!hidesPaths && segments[0] !== "svc") return `/${inner}`;
    }
    problems.push({ path, text: expected(PREFIX_FORM, value) });
    return null;
  },
  expected: PREFIX_FORM,
  placeholder: "<path>",
  read: (value) => value,
};

/** An origin of printable characters, to prevent header injection. */
export const origin = stringSetting("<origin>", "an origin, on one line", /^[\x21-\x7e]+$/);

/** Base URL of an OTLP collector. */
export const collectorUrl: SettingType<string> = {
  rule: test("a URL with http: or https:", isHttpUrl, ""),
  expected: "a URL with http: or https:",
  placeholder: "<url>",
  read: (value) => value,
};

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:\/\/[^\s?#]+$/.test(value);
}

/** Networks and addresses; as text separated by commas, or `none`. */
export const networks: SettingType<readonly string[]> = {
  rule: list(test("a network such as 10.0.0.0/8", isNetwork, ""), "a list of networks"),
  expected: "comma-separated networks such as 10.0.0.0/8",
  placeholder: "<networks>",
  read: (value) => (value === "none" ? [] : value.split(",").map((network) => network.trim())),
};

/** Names, `.name` for all subdomains; as text separated by commas. */
export const hostNames: SettingType<readonly string[]> = {
  rule: list(string("a name such as shop.example", /^\.?[\w-]+(?:\.[\w-]+)*$/), "a list of names"),
  expected: "comma-separated names such as shop.example",
  placeholder: "<names>",
  read: (value) => value.split(",").map((name) => name.trim()),
};

/** Addresses with ports; as text separated by commas. */
export const hostPorts: SettingType<readonly string[]> = {
  rule: list(string("host:port", HOST_PORT), "a list of host:port"),
  expected: "comma-separated host:port",
  placeholder: "<host:port>",
  read: (value) => value.split(",").map((address) => address.trim()),
};

/** Returns the type of a structured value; options name JSON files with such values. */
export function structure<T, Given = T>(rule: Rule<T>): SettingType<T, Given> {
  return { rule, expected: "a structure", placeholder: null, read: (value) => value };
}

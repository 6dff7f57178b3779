// Options of a command: one table for parsing, help and environment variables. The types are those
// of settings.

import {
  booleanSetting,
  enumSetting,
  type SettingType,
} from "../../runtime/settings/setting-types.js";

export { integer, integerOr, stringSetting } from "../../runtime/settings/setting-types.js";
export const choice = enumSetting;
export const flag = booleanSetting();

export type OptionKind<T> = SettingType<T>;

export interface Option<T> {
  readonly kind: OptionKind<T>;
  readonly help: string;
  /** Variable that hosting platforms set; the option's own variable takes precedence. */
  readonly platformVariable?: string;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The values of a table; options that were not given are absent. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends Option<infer T> ? T : never;
};

/** Parses a text as a value of a kind; undefined if it is invalid. */
export function parseOption<T>({ rule, read }: OptionKind<T>, text: string): T | undefined {
  const problems: never[] = [];
  const value = rule(read(text), [], problems);
  return problems.length === 0 ? value : undefined;
}

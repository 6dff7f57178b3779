// Options of a command: one table of what the text of each must look like and what it becomes.
// Parsing, help and environment all read that table. The types are those of settings.

import { booleanSetting, oneOf, type SettingType } from "../../runtime/settings/setting-types.js";

export { integer, integerOr, stringSetting } from "../../runtime/settings/setting-types.js";
export const choice = oneOf;
export const flag = booleanSetting();

export type OptionKind<T> = SettingType<T>;

export interface Option<T> {
  readonly kind: OptionKind<T>;
  readonly help: string;
  /** A variable by which platforms tell it; its own, see `variableOf`, counts more. */
  readonly platformVariable?: string;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The values of a table; an option that was not given is absent. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends Option<infer T> ? T : never;
};

/** What a text is as a value of a kind; undefined when it is none. */
export function parseOption<T>({ rule, read }: OptionKind<T>, text: string): T | undefined {
  const problems: never[] = [];
  const value = rule(read(text), [], problems);
  return problems.length === 0 ? value : undefined;
}

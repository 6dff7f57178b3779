// A row of the table of settings, and the types derived from such rows.

import type { SettingType } from "./setting-types.js";

/**
 * Function to which programs can pass a setting; null: only svc.config.ts, options and variables.
 */
export type LibraryScope = "start" | "initialize" | null;

export interface Setting<
  T,
  ConfigInput = T,
  Key extends string = string,
  Library extends LibraryScope = LibraryScope,
  Option extends string | null = string | null,
  FileOption extends string | null = string | null,
> {
  readonly key: Key;
  readonly type: SettingType<T, ConfigInput>;
  readonly default: T;
  /** The default in documents. */
  readonly defaultText: string;
  /** Option of `svc serve`. */
  readonly option: Option;
  /** Option that names a JSON file with the value. */
  readonly fileOption: FileOption;
  /** Additional environment variable, set by hosting platforms. */
  readonly platformVariable?: string;
  readonly library: Library;
  /** The setting's name in errors of the library (http-interface, "Management operations"). */
  readonly noun: string | null;
  /** Description of the setting, and of its option. */
  readonly help: string;
  readonly optionHelp: string;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export function setting<
  T,
  ConfigInput,
  const Key extends string,
  const Library extends LibraryScope = null,
  const Option extends string | null = null,
  const FileOption extends string | null = null,
>(row: {
  readonly key: Key;
  readonly type: SettingType<T, ConfigInput>;
  readonly default: readonly [value: NoInfer<T>, text?: string];
  readonly option?: Option;
  readonly fileOption?: FileOption;
  readonly platformVariable?: string;
  readonly library?: Library;
  readonly noun?: string;
  readonly help: string;
  readonly optionHelp?: string;
}): Setting<T, ConfigInput, Key, Library, Option, FileOption> {
  const {
    key,
    type,
    option = null,
    fileOption = null,
    library = null,
    noun = null,
    platformVariable,
    help,
    optionHelp = help,
  } = row;
  const [value, text = textOf(value)] = row.default;
  return {
    ...{ key, type, noun, help, optionHelp },
    ...{ default: value, defaultText: text },
    // Rows without a name have type null there.
    ...{ option: option as Option, fileOption: fileOption as FileOption },
    ...(platformVariable === undefined ? {} : { platformVariable }),
    library: library as Library,
  };
}

function textOf(value: unknown): string {
  const isNothing = value === null || /^(\[\]|\{\})$/.test(JSON.stringify(value));
  if (isNothing) return "none";
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => `\`${String(item)}\``).join(", ");
}

/** Type of a validated value. */
export type ParsedValue<S> = S extends Setting<infer T, unknown> ? T : never;
/** Type of an accepted value. */
export type ConfigInput<S> = S extends { readonly type: SettingType<infer T, infer G> }
  ? unknown extends G
    ? T
    : G
  : never;

/** The key of a setting within a group, or without a group. */
type Within<S, Group extends string> = S extends { readonly key: `${infer G}.${infer Rest}` }
  ? G extends Group
    ? Rest
    : never
  : S extends { readonly key: infer Key extends string }
    ? "" extends Group
      ? Key
      : never
    : never;

/** The accepted values of a group of svc.config.ts; "" for settings without a group. */
export type ConfigInputGroup<Table, Group extends string> = {
  readonly [Name in keyof Table as Within<Table[Name], Group>]?:
    | ConfigInput<Table[Name]>
    | undefined;
};

/** The validated values of a group. */
export type ParsedGroup<Table, Group extends string> = {
  readonly [Name in keyof Table as Within<Table[Name], Group>]: ParsedValue<Table[Name]>;
};

/** Names of the groups. */
export type GroupOf<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly key: `${infer Group}.${string}` }
    ? Group
    : never;
}[keyof Table];

/** Options that programs can pass to one function. */
export type LibraryOptions<Table, Place extends LibraryScope> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly library: Place } ? Name : never]?:
    | ConfigInput<Table[Name]>
    | undefined;
};

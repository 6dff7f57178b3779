// Options of `svc serve` and `svc dev`: the table of settings, and `--open`. `svc.config.ts`
// supplies omitted ones.

import type { ParsedValue, Setting } from "../../runtime/settings/setting.js";
import { SETTINGS } from "../../runtime/settings/table.js";
import {
  choice,
  flag,
  type Option,
  type OptionValues,
  stringSetting,
} from "../framework/option.js";

type Table = typeof SETTINGS;

type SettingOptions = {
  readonly [Name in keyof Table as Table[Name]["option"] & string]: Option<
    ParsedValue<Table[Name]>
  >;
} & {
  readonly [Name in keyof Table as Table[Name]["fileOption"] & string]: Option<string>;
};

export const SERVE_OPTIONS = {
  ...settingOptions(),
  instance: {
    kind: stringSetting("<id>"),
    help: "instance id in the descriptor; the host's number selects one of several",
  },
  role: {
    kind: choice("engine", "dispatcher"),
    help: "plugins to serve: engines, or pre/post processors (default: all)",
  },
};

/** For interactive use. */
export const OPEN_OPTION = { kind: flag, help: "open the console in a browser" };

export type ServeValues = OptionValues<typeof SERVE_OPTIONS>;

function settingOptions(): SettingOptions {
  const rows = Object.values<Setting<unknown>>(SETTINGS);
  return Object.fromEntries(rows.flatMap(optionOf)) as SettingOptions;
}

function optionOf(row: Setting<unknown>): [string, Option<unknown>][] {
  const { option, fileOption, type, optionHelp: help, platformVariable } = row;
  const platform = platformVariable === undefined ? {} : { platformVariable };
  if (option !== null) return [[option, { kind: type, help, ...platform }]];
  return fileOption === null ? [] : [[fileOption, { kind: stringSetting("<file>"), help }]];
}

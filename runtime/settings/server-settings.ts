// The resolved settings of a server: all are present, and each is validated by the rule of its row,
// whatever its source.

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { didYouMean } from "../base/did-you-mean.js";
import { SvcError } from "../base/errors.js";
import type { SlotPlan } from "../base/instance-slots.js";
import { argumentError } from "./matrix-config.js";
import { type Problems, problemText } from "./rules.js";
import type { LibraryOptions, ParsedValue, Setting } from "./setting.js";
import { SETTINGS } from "./table.js";

const MAX_NAME = 50;

type Table = typeof SETTINGS;
export type SettingName = keyof Table;

/** Rows that only affect builds. */
type BuildSetting = "plugins";

type CheckedSettings = {
  readonly [Name in Exclude<SettingName, BuildSetting>]: ParsedValue<Table[Name]>;
};

export type ServerSettings = Omit<CheckedSettings, "executors"> & {
  /** Folder of the project, which contains `.svc/`. */
  readonly projectDir: string;
  /** Worker threads that run plugins; library mode has none. */
  readonly executors: number;
  /** Identity within the system; null without a descriptor. */
  readonly node: NodeIdentity | null;
  /** Slots of the system, as seen by this instance; null without slots. */
  readonly slots: SlotPlan | null;
  /** Identifies the build of the plugins; null in a library program. */
  readonly build: string | null;
  /** Key of remote operators; null: remote operators are refused. */
  readonly adminKey: string | null;
  /** Key by which dispatchers sign requests; null: requests are not signed. */
  readonly dispatcherKey: string | null;
  /** Membership in a group that elects its leader; null: no group. */
  readonly leadership: LeadershipSettings | null;
};

/** A member of a group that elects its leader, derived from the system descriptor. */
export interface LeadershipSettings {
  /** URI of the service that stores the record of the group. */
  readonly engine: string;
  /** Milliseconds without renewal after which a leader is replaced. */
  readonly ttl: number;
  /** Other members that a change must reach before it is acknowledged. */
  readonly minSynced: number;
  /** Whether a leader with fewer members refuses changes, or acknowledges them on its own. */
  readonly whenAlone: "refuse" | "go-on";
  /** Name of the group: its first member. */
  readonly group: string;
  /** This member. */
  readonly id: string;
  /** `host:port` of the replication port of each other member. */
  readonly members: Readonly<Record<string, string>>;
}

/** Identity of a server within its system. */
export interface NodeIdentity {
  readonly id: string;
  /** Host name or address by which other instances reach it. */
  readonly host: string;
  /** The validated system descriptor. */
  readonly descriptor: object;
}

/** Settings of the graphs of a process. */
export type GraphSettings = Pick<
  ServerSettings,
  | "root"
  | "graphs"
  | "readonly"
  | "events"
  | "saveEvery"
  | "durability"
  | "retainLogBytes"
  | "ip"
  | "txPort"
  | "attach"
  | "txKeyFile"
  | "publishStream"
  | "archive"
  | "followStream"
  | "slots"
  | "leadership"
>;

/** Optional arguments of `startHTTP`. */
export type StartSettings = LibraryOptions<Table, "start">;
/** Further optional arguments of `initialize`. */
export type InitializeSettings = LibraryOptions<Table, "initialize">;

/** Names of the settings of a server. */
export const SERVER_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name): name is keyof CheckedSettings => name !== "plugins",
);

/**
 * Validates all settings of a server.
 * @param valueFor returns the value given for a setting; undefined if omitted
 * @throws SvcError SVC2205, and ArgumentError for a dispatcher
 */
export function checkSettings(valueFor: (name: SettingName) => unknown): CheckedSettings {
  const entries = SERVER_SETTINGS.map((name) => [name, checkSetting(name, valueFor(name))]);
  return Object.fromEntries(entries) as CheckedSettings;
}

/**
 * Returns the validated value of a setting, its default for undefined.
 * @throws SvcError SVC2205 for an invalid value, and ArgumentError for a dispatcher
 */
export function checkSetting<Name extends SettingName>(
  name: Name,
  value: unknown,
): ParsedValue<Table[Name]> {
  const row = SETTINGS[name] as Setting<unknown> as Setting<ParsedValue<Table[Name]>>;
  if (value === undefined) return row.default;
  const problems: Problems = [];
  const checked = row.type.rule(value, [name], problems);
  const [first] = problems;
  if (first === undefined) return checked;
  if (first.exception !== undefined) throw argumentError(first);
  const label = `invalid ${row.noun ?? name}`;
  const texts = problems.map(({ path, text }) => {
    return problemText({ path: [label, ...path.slice(1)], text });
  });
  throw new SvcError("SVC2205", texts.join("\n  "));
}

/**
 * Rejects unknown names, because a misspelled one would be ignored silently.
 * @param scopes scopes of the allowed settings
 * @throws SvcError SVC2205 for an unknown name
 */
export function requireOptions(
  options: object,
  scopes: readonly ("start" | "initialize")[],
  further: readonly string[] = [],
): void {
  const rows = Object.entries<Setting<unknown>>(SETTINGS);
  const named = rows.filter(([, { library }]) => scopes.some((scope) => scope === library));
  const names = [...named.map(([name]) => name), ...further];
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown === undefined) return;
  const shownName = unknown.slice(0, MAX_NAME);
  const hint = didYouMean(shownName, names);
  throw new SvcError("SVC2205", `unknown option ${JSON.stringify(shownName)}${hint}`);
}

/**
 * Resolves a host name.
 * @throws SvcError SVC2205 when it has no address
 */
export async function resolveAddress(ip: string | null): Promise<string | null> {
  if (ip === null || isIP(ip) !== 0) return ip;
  try {
    return (await lookup(ip)).address;
  } catch (error) {
    const text = `ip address does not resolve, got ${JSON.stringify(ip)}`;
    throw new SvcError("SVC2205", text, { cause: error });
  }
}

// The key `api`: metadata for OpenAPI documents, without effect on a server.

import { isPlainObject } from "../base/plain-object.js";
import type { SecurityScheme } from "../base/security-scheme.js";
import {
  expected,
  list,
  named,
  nullable,
  object,
  type Rule,
  string,
  withDefault,
} from "./rules.js";
import { SCOPE } from "./scope-rules.js";

export interface ApiConfig {
  /** Default: the version in package.json. */
  readonly version?: string | null | undefined;
  /** SPDX expression. Default: the license in package.json. */
  readonly license?: string | null | undefined;
  /** URLs of the service, the nearest first. Default: the URL that served the document. */
  readonly servers?: readonly string[] | undefined;
  /** Authentication by a gateway in front of the service: alternatives by names of your choice. */
  readonly security?: Readonly<Record<string, SecurityScheme>> | undefined;
}

export interface ParsedApi {
  readonly version: string | null;
  readonly license: string | null;
  readonly servers: readonly string[];
  readonly security: Readonly<Record<string, SecurityScheme>>;
}

const LINE = /^(?=.*\S)[^\p{Cc}]{1,200}$/u;
const line = nullable(string("a single-line string", LINE));
const url = string("a URL with http or https", /^https?:\/\/[^\s?#]+$/);
const word = string("a word", /^[\w.~+-]{1,100}$/);

const meaning = string("a single-line string", LINE);
const scopes = named("a scope", SCOPE, meaning);

const FLOWS: Readonly<Record<string, Rule<object>>> = {
  authorizationCode: object({ authorizationUrl: url, tokenUrl: url, scopes }),
  clientCredentials: object({ tokenUrl: url, scopes }),
};

const flows: Rule<object> = (value, path, problems) => {
  const entries = isPlainObject(value) ? Object.entries(value) : [];
  if (entries.length === 0 || entries.some(([name]) => !Object.hasOwn(FLOWS, name))) {
    const form = `an object with ${Object.keys(FLOWS).join(" or ")}`;
    problems.push({ path, text: expected(form, value) });
    return {};
  }
  const checked = entries.map(([name, flow]) => [
    name,
    FLOWS[name]!(flow, [...path, name], problems),
  ]);
  return Object.fromEntries(checked);
};

const SCHEMES: Readonly<Record<string, Rule<object>>> = {
  http: object({ type: word, scheme: word }),
  apiKey: object({
    type: word,
    in: string('"header", "query" or "cookie"', /^(?:header|query|cookie)$/),
    name: word,
  }),
  oauth2: object({ type: word, flows }),
  openIdConnect: object({ type: word, openIdConnectUrl: url }),
  mutualTLS: object({ type: word }),
};

const scheme: Rule<SecurityScheme> = (value, path, problems) => {
  const type = typeof value === "object" && value !== null ? (value as { type?: unknown }).type : 0;
  const rule = typeof type === "string" && Object.hasOwn(SCHEMES, type) ? SCHEMES[type] : undefined;
  // A rule returns a scheme of the type under which it is listed.
  if (rule !== undefined) return rule(value, path, problems) as SecurityScheme;
  const text = expected(`an object with type ${Object.keys(SCHEMES).join(", ")}`, value);
  problems.push({ path, text });
  return { type: "mutualTLS" };
};

export const EMPTY_API: ParsedApi = { version: null, license: null, servers: [], security: {} };

export const apiRule: Rule<ParsedApi> = object({
  version: withDefault(line, null),
  license: withDefault(line, null),
  servers: withDefault(list(url, "a list of URLs"), []),
  security: withDefault(named("a name", /^[\w.-]{1,100}$/, scheme), {}),
});

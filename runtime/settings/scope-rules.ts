// Scopes that built-in plugins and services require of a principal.

import { nullable, object, type Rule, string, withDefault } from "./rules.js";

export interface ScopesConfig {
  /** Scope for reading. Default null: any principal may read. */
  readonly read?: string | null | undefined;
  /** Scope for changes. Default null: any principal may change. */
  readonly change?: string | null | undefined;
}

export type ParsedScopes = Readonly<Record<"read" | "change", string | null>>;

export const NO_SCOPES: ParsedScopes = { read: null, change: null };

/** The characters that OAuth 2 allows. */
export const SCOPE = /^[!#-[\]-~]{1,100}$/;

const scope = withDefault(nullable(string("a scope", SCOPE)), null);

/** The keys of an object that names scopes. */
export const SCOPE_RULES = { read: scope, change: scope };

export const scopesRule: Rule<ParsedScopes> = object<ParsedScopes>(SCOPE_RULES);

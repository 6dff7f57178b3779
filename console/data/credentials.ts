// Credentials and header fields for calls of plugins. They are only in the memory of the tab, never
// in the address, the storage of the browser or a snippet.

import { signal } from "@preact/signals";

export const CREDENTIAL_KINDS = ["none", "Bearer", "Basic", "key"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export interface Credentials {
  readonly kind: CredentialKind;
  /** User name of `Basic`. */
  readonly user: string;
  /** Token, password or key. */
  readonly secret: string;
  /** Header field of a `key`. */
  readonly field: string;
}

export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

export const NO_CREDENTIALS: Credentials = {
  ...{ kind: "none", user: "", secret: "", field: "X-Api-Key" },
};
export const credentials = signal(NO_CREDENTIALS);
export const headerRows = signal<readonly HeaderRow[]>([]);

/** A header field of a snippet: the value is a fixed prefix and an environment variable. */
export interface SnippetHeader {
  readonly name: string;
  readonly prefix: string;
  readonly variable: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Fields that browsers set themselves. */
const FORBIDDEN = new Set(
  "accept-charset accept-encoding connection content-length cookie date expect host keep-alive"
    .concat(" origin referer te trailer transfer-encoding upgrade via")
    .split(" "),
);

/** Returns why a header field cannot be sent; null if it can. */
export function findHeaderFault({ name, value }: HeaderRow): string | null {
  if (name === "" && value === "") return null;
  if (!TOKEN.test(name)) return "a name has letters, digits and hyphens";
  const lower = name.toLowerCase();
  if (FORBIDDEN.has(lower) || /^(?:proxy|sec)-/.test(lower))
    return "browsers set this field themselves";
  return VALUE.test(value) ? null : "a value is one line of Latin-1 characters";
}

/** Fields that can be sent, by name. */
export function requestHeaders(): Readonly<Record<string, string>> {
  const rows = headerRows.value.filter((row) => row.name !== "" && findHeaderFault(row) === null);
  const ownRow = credentialRow(credentials.value);
  return Object.fromEntries([...rows, ...(ownRow === null ? [] : [ownRow])].map(toPair));
}

function toPair({ name, value }: HeaderRow): readonly [string, string] {
  return [name, value];
}

/** The header field of credentials; null without any, or if it cannot be sent. */
export function credentialRow({ kind, user, secret, field }: Credentials): HeaderRow | null {
  if (kind === "none" || secret === "") return null;
  if (kind === "key") {
    const row = { name: field, value: secret };
    return findHeaderFault(row) === null ? row : null;
  }
  const text = kind === "Basic" ? encodeBase64(`${user}:${secret}`) : secret;
  const row = { name: "Authorization", value: `${kind} ${text}` };
  return findHeaderFault(row) === null ? row : null;
}

function encodeBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** The same fields for snippets, without any value. */
export function snippetHeaders(): readonly SnippetHeader[] {
  const { kind } = credentials.value;
  return Object.keys(requestHeaders()).map((name) => {
    const isOwn = name === "Authorization" && (kind === "Bearer" || kind === "Basic");
    if (isOwn) return { name, prefix: `${kind} `, variable: "KEY" };
    const word = name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
    return { name, prefix: "", variable: /^\d/.test(word) ? `_${word}` : word };
  });
}

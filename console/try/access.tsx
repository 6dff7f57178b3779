// Access to a plugin: principal, scopes, hooks, and the errors that it documents.

import type { GuardSpec, PluginSpec } from "../../argspec/argspec.js";
import { clipForDisplay } from "../data/text.js";
import { Icon } from "../parts/icon.js";

export interface Access {
  readonly guards: readonly GuardSpec[];
  readonly scopes: readonly string[];
  /** The server requires a principal. */
  readonly needsPrincipal: boolean;
  /** Header fields that hooks read, except `Authorization`. */
  readonly headers: readonly string[];
  /** True if the plugin requires a principal, or a hook reads `Authorization`. */
  readonly takesCredentials: boolean;
}

export function readAccess(plugin: PluginSpec, isAuthenticated: boolean): Access {
  const { access, guards = [] } = plugin;
  const isPublic = access !== undefined && "public" in access;
  const scopes = access !== undefined && "scopes" in access ? access.scopes : [];
  const read = [...new Set(guards.flatMap(({ headers }) => headers))];
  const isCredential = (name: string) => name.toLowerCase() === "authorization";
  const needsPrincipal = isAuthenticated && !isPublic;
  return {
    ...{ guards, scopes, needsPrincipal },
    headers: read.filter((name) => !isCredential(name)),
    takesCredentials: needsPrincipal || read.some(isCredential),
  };
}

/** Returns a sentence about the hooks and settings that require credentials. */
export function describeCredentials({ guards, needsPrincipal }: Access): string {
  const readers = guards.filter(({ headers }) =>
    headers.some((name) => name.toLowerCase() === "authorization"),
  );
  if (readers.length > 0) {
    const named = readers.map(({ name, file }) => `${name} (${file})`).join(", ");
    return `Read by ${clipForDisplay(named, 120)}.`;
  }
  return needsPrincipal ? "The server requires a principal." : "";
}

/** Tags beside the name of a plugin. */
export function AccessTags({ access }: { readonly access: Access }) {
  const { guards, scopes, needsPrincipal } = access;
  if (guards.length === 0 && scopes.length === 0 && !needsPrincipal) {
    return <span class="tag">open to all</span>;
  }
  const texts = [
    scopes.length > 0 ? scopes.join(", ") : needsPrincipal ? "principal" : "",
    guards.map(({ name }) => name).join(" → "),
  ].filter((text) => text !== "");
  return texts.map((text) => (
    <span class="tag acc" key={text}>
      <Icon name="lock" />
      {clipForDisplay(text, 60)}
    </span>
  ));
}

interface AccessPanelProps {
  readonly plugin: PluginSpec;
  readonly access: Access;
}

export function AccessPanel({ plugin: { errors }, access }: AccessPanelProps) {
  const { guards, scopes, needsPrincipal } = access;
  return (
    <>
      <p class="soft">
        {needsPrincipal
          ? "Callers need a principal: send credentials."
          : "The server requires no principal."}
        {scopes.length > 0 && ` Scopes: ${clipForDisplay(scopes.join(", "))}.`}
      </p>
      <h3>Hooks, in their order</h3>
      {guards.length === 0 && <p class="soft">No hook runs before this plugin.</p>}
      <ol class="stack">
        {guards.map(({ name, file, headers }, index) => (
          <li key={index}>
            <strong>{clipForDisplay(name, 60)}</strong>{" "}
            <span class="mono soft">{clipForDisplay(file, 80)}</span>
            {headers.length > 0 && (
              <div class="faint s">reads {clipForDisplay(headers.join(", "), 120)}</div>
            )}
          </li>
        ))}
      </ol>
      <h3>Documented errors</h3>
      {errors.length === 0 && <p class="soft">None is documented.</p>}
      <ul class="stack">
        {errors.map(({ exception, status, description }, index) => (
          <li key={index}>
            {status !== undefined && <span class="tag warn">{status}</span>}{" "}
            <span class="mono">{clipForDisplay(exception, 60)}</span>{" "}
            <span class="soft">{clipForDisplay(description)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

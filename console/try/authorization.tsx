// Credentials and header fields of calls. The browser discards them when the tab is closed.

import {
  CREDENTIAL_KINDS,
  type CredentialKind,
  credentials,
  findHeaderFault,
  headerRows,
} from "../data/credentials.js";
import { clipForDisplay } from "../data/text.js";
import { Icon } from "../parts/icon.js";

const TITLES: Readonly<Record<CredentialKind, string>> = {
  ...{ none: "None", Bearer: "Bearer", Basic: "Basic", key: "Key" },
};

interface AuthorizationProps {
  /** Hooks and settings that require it. */
  readonly askedBy: string;
}

export function Authorization({ askedBy }: AuthorizationProps) {
  const { kind, user, secret, field } = credentials.value;
  const set = (part: Partial<typeof credentials.value>): void => {
    credentials.value = { ...credentials.value, ...part };
  };
  return (
    <fieldset class="field">
      <legend class="lab">
        Authorization <span class="type">header</span>
      </legend>
      <div class="row nowrap">
        <select
          id="credential-kind"
          aria-label="Kind of credentials"
          value={kind}
          onChange={({ currentTarget }) => set({ kind: currentTarget.value as CredentialKind })}
        >
          {CREDENTIAL_KINDS.map((option) => (
            <option key={option} value={option}>
              {TITLES[option]}
            </option>
          ))}
        </select>
        {kind === "key" && (
          <input
            id="credential-field"
            aria-label="Header field of the key"
            value={field}
            autocomplete="off"
            onInput={({ currentTarget }) => set({ field: currentTarget.value })}
          />
        )}
        {kind === "Basic" && (
          <input
            id="credential-user"
            aria-label="User"
            placeholder="user"
            value={user}
            autocomplete="off"
            onInput={({ currentTarget }) => set({ user: currentTarget.value })}
          />
        )}
        {kind !== "none" && (
          <input
            id="credential-secret"
            type="password"
            aria-label={kind === "Basic" ? "Password" : "Token or key"}
            value={secret}
            autocomplete="off"
            onInput={({ currentTarget }) => set({ secret: currentTarget.value })}
          />
        )}
      </div>
      <p class="hint">
        {askedBy} Kept in this tab only, never in the address, the history or the code.
      </p>
    </fieldset>
  );
}

interface HeaderRowsProps {
  /** Fields that hooks read, except `Authorization`. */
  readonly wanted: readonly string[];
}

export function HeaderRows({ wanted }: HeaderRowsProps) {
  const rows = headerRows.value;
  const set = (index: number, part: Partial<(typeof rows)[number]>): void => {
    headerRows.value = rows.map((row, at) => (at === index ? { ...row, ...part } : row));
  };
  const add = (name: string): void => {
    headerRows.value = [...rows, { name, value: "" }];
  };
  const missing = wanted.filter(
    (name) => !rows.some((row) => row.name.toLowerCase() === name.toLowerCase()),
  );
  return (
    <fieldset class="field">
      <legend class="lab">Header fields</legend>
      {rows.map((row, index) => {
        const fault = findHeaderFault(row);
        return (
          <div key={index}>
            <div class="row nowrap">
              <input
                id={`header-name-${index}`}
                aria-label={`Name of field ${index + 1}`}
                value={row.name}
                placeholder="Accept-Language"
                autocomplete="off"
                aria-invalid={fault !== null}
                onInput={({ currentTarget }) => set(index, { name: currentTarget.value })}
              />
              <input
                id={`header-value-${index}`}
                aria-label={`Value of field ${index + 1}`}
                value={row.value}
                autocomplete="off"
                onInput={({ currentTarget }) => set(index, { value: currentTarget.value })}
              />
              <button
                type="button"
                class="btn icon bare"
                aria-label={`Remove field ${index + 1}`}
                onClick={() => {
                  headerRows.value = rows.filter((_, at) => at !== index);
                }}
              >
                <Icon name="close" />
              </button>
            </div>
            {fault !== null && <div class="bad">{fault}</div>}
          </div>
        );
      })}
      <div class="row">
        <button type="button" class="btn" onClick={() => add("")}>
          <Icon name="plus" /> Add field
        </button>
        {missing.map((name) => (
          <button key={name} type="button" class="tag" onClick={() => add(name)}>
            {clipForDisplay(name, 40)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

// Operations on this instance and other instances of its system. The page is locked until the
// operator requests a token, which is valid for one operation and expires after 300 seconds. After
// an operation, the page requests the next token within this time.

import { useState } from "preact/hooks";
import { type ActionResult, type AdminActions, useAdminActions } from "../data/admin-actions.js";
import type { Instance } from "../data/instances.js";
import { OPERATIONS, type Operation, type Target } from "../data/operations.js";
import { useLive } from "../data/server-connection.js";
import { useInstances } from "../data/system-view.js";
import { clipForDisplay } from "../data/text.js";
import { Badge } from "../parts/badge.js";
import { ConfirmDialog } from "../parts/confirm.js";
import { Icon } from "../parts/icon.js";
import type { IconName } from "../parts/icons.js";
import { PageHead } from "../parts/page-head.js";
import { PageLink } from "../parts/page-link.js";
import { currentRoute } from "../router.js";
import { Commands, Descriptor } from "./admin-help.js";
import { Targets, targetLabel } from "./admin-targets.js";

const EVERY_MS = 1000;
/** Group of operations with a separate card. */
const DANGER = "Cannot be undone";
const ICONS: Readonly<Record<string, IconName>> = {
  ...{ ServiceIn: "play", ServiceOut: "close", CancelAlgorithm: "close", RunJob: "clock" },
  ...{ ReloadPlugins: "plug", RestartHTTP: "undo", ResetMetrics: "gauge", LogLevel: "log" },
  ...{ Persist: "disk", SetReadonly: "lock", ClearReadonly: "key", Throttle: "filter" },
  ...{ Truncate: "graph", Shutdown: "server" },
};
/** Icons by group, for operations without a specific icon. */
const GROUP_ICONS: Readonly<Record<string, IconName>> = { Graphs: "clock", Replication: "sync" };

export function Administration() {
  const node = useLive("svc/nodestat", EVERY_MS);
  const { id: own, instances } = useInstances();
  const desk = useAdminActions();
  const [pending, setPending] = useState<Operation | null>(null);
  const chosen = new Set(currentRoute.value.params.getAll("on"));
  const targets = targetsOf(instances, chosen, own, node);
  const isSeveral = targets.length > 1;
  const start = (operation: Operation): void => {
    const isQuick = operation.confirm === "none" && operation.args === undefined;
    if (isQuick && !isSeveral) void desk.runOn(operation, targets, {});
    else setPending(operation);
  };
  const selected = pending === null ? [] : targets.filter((target) => isFor(pending, target));
  const about =
    instances.length > 1 ? `${targets.length} of ${instances.length} instances chosen` : "";
  return (
    <>
      <PageHead title="Administration" about={about}>
        <Lock desk={desk} />
      </PageHead>
      <div class={instances.length > 1 ? "adm" : ""}>
        {instances.length > 1 && <Targets instances={instances} chosen={chosen} own={own} />}
        <Groups targets={targets} all={instances.length} desk={desk} onStart={start} />
      </div>
      <Outcomes done={desk.done} />
      <Commands desk={desk} />
      <Descriptor desk={desk} />
      {pending !== null && (
        <ConfirmDialog
          operation={pending}
          targets={instances.length > 1 ? selected.map(({ id }) => id ?? own) : []}
          word={targetLabel(pending, selected, instances.length)}
          onCancel={() => setPending(null)}
          onDone={(args) => {
            setPending(null);
            void desk.runOn(pending, selected, args);
          }}
        />
      )}
    </>
  );
}

/** Returns the chosen instances (default: this instance). */
function targetsOf(
  instances: readonly Instance[],
  chosen: ReadonlySet<string>,
  own: string,
  node: unknown,
): readonly Target[] {
  const found = instances
    .filter(({ id }) => chosen.has(id))
    .map(({ id, node: of, provider, address }) => ({
      id: id === own ? null : id,
      node: id === own ? node : of,
      provider,
      host: address.replace(/:\d+$/, ""),
    }));
  if (found.length > 0) return found;
  const self = instances.find(({ id }) => id === own);
  const host = self?.address.replace(/:\d+$/, "") ?? "";
  return [{ id: null, node, provider: self?.provider ?? null, host }];
}

function isFor({ isFor: holds }: Operation, { node, provider }: Target): boolean {
  return node !== undefined && (holds === undefined || holds(node, provider));
}

function Lock({ desk }: { readonly desk: AdminActions }) {
  const { leftS, isBusy } = desk;
  const state =
    leftS === null
      ? ({ tone: "unk", word: "Locked" } as const)
      : ({ tone: "warn", word: `Unlocked for ${leftS} s` } as const);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (leftS === null) void desk.unlock();
        else desk.lock();
      }}
    >
      <input
        id="admin-key"
        type="password"
        size={20}
        aria-label="Operator key, from another machine"
        placeholder="key, from another machine"
        autocomplete="off"
        onInput={(event) => desk.setKey(event.currentTarget.value)}
      />
      <Badge isPill state={state} />
      <button
        class={leftS === null ? "btn main" : "btn"}
        type="submit"
        disabled={leftS === null && isBusy}
      >
        <Icon name="lock" />
        {leftS === null ? "Unlock" : "Lock"}
      </button>
    </form>
  );
}

interface GroupsProps {
  readonly targets: readonly Target[];
  /** Number of instances of the system. */
  readonly all: number;
  readonly desk: AdminActions;
  readonly onStart: (operation: Operation) => void;
}

function Groups({ targets, all, desk, onStart }: GroupsProps) {
  const isKnown = targets.some(({ node }) => node !== null && node !== undefined);
  const isPossible = (operation: Operation) => targets.some((target) => isFor(operation, target));
  const groups = OPERATIONS.filter(([, operations]) => operations.some(isPossible));
  if (groups.length === 0) {
    return (
      <p class="card soft">
        {isKnown ? "There is nothing to do here." : "The chosen instances do not respond."}
      </p>
    );
  }
  return (
    <div class="cards">
      {groups.map(([group, operations]) => (
        <section class={group === DANGER ? "card danger" : "card"} key={group} aria-label={group}>
          <header>
            {group === DANGER && <Icon name="warn" />}
            <h2>{group}</h2>
          </header>
          <ul class="acts">
            {operations.filter(isPossible).map((operation) => (
              <Action
                key={operation.operation}
                operation={operation}
                icon={ICONS[operation.operation] ?? GROUP_ICONS[group] ?? "right"}
                isDanger={group === DANGER}
                word={targetLabel(
                  operation,
                  targets.filter((target) => isFor(operation, target)),
                  all,
                )}
                isDisabled={!desk.isArmed || !isKnown}
                onStart={() => onStart(operation)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface ActionProps {
  readonly operation: Operation;
  readonly icon: IconName;
  readonly isDanger: boolean;
  /** Text to type for confirmation; null: a click is enough. */
  readonly word: string | null;
  readonly isDisabled: boolean;
  readonly onStart: () => void;
}

function Action({ operation, icon, isDanger, word, isDisabled, onStart }: ActionProps) {
  const { title, effect, confirm, args } = operation;
  const asks = confirm !== "none" || args !== undefined || word !== null;
  return (
    <li class="act">
      <Icon name={icon} />
      <div>
        <strong>{title}</strong>
        <div class="soft s">
          {effect}
          {word !== null && ` Now: ${clipForDisplay(word, 60)}.`}
        </div>
      </div>
      <button
        type="button"
        class={isDanger ? "btn danger" : "btn"}
        disabled={isDisabled}
        onClick={onStart}
      >
        {title}
        {asks && "…"}
      </button>
    </li>
  );
}

function Outcomes({ done }: { readonly done: readonly ActionResult[] }) {
  return (
    <section class="card" aria-live="polite">
      <h2>History</h2>
      {done.length === 0 && <p class="soft">No operations yet.</p>}
      <ul class="names">
        {done.map(({ at, operation, isDone, text }, index) => (
          <li key={done.length - index}>
            <span class="soft">{new Date(at).toLocaleTimeString()}</span>{" "}
            <span class={isDone ? "good" : "bad"}>
              {isDone ? "done" : "failed"}: {clipForDisplay(operation, 100)}
            </span>{" "}
            {clipForDisplay(text, 2000)}
          </li>
        ))}
      </ul>
      {done.length > 0 && <PageLink to="logs?text=admin%3A">Operations in the server log</PageLink>}
    </section>
  );
}

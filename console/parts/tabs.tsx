// Tabs above the content of a card. The arrow keys move between tabs; Tab reaches the chosen one.

import type { ComponentChildren } from "preact";

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  /** Beside the title. */
  readonly count?: string | undefined;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** Controls at the right. */
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, tabs, chosen, onChoose, end, children } = props;
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = (at + step + tabs.length) % tabs.length;
    onChoose(tabs[next]!.name);
    const list = event.currentTarget as HTMLElement;
    list.querySelectorAll<HTMLElement>("[role=tab]")[next]!.focus();
  };
  const title = tabs.find(({ name }) => name === chosen)?.title;
  return (
    <>
      <div class="tabs">
        <div role="tablist" aria-label={label} onKeyDown={onKey}>
          {tabs.map(({ name, title: text, count }) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={name === chosen}
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => onChoose(name)}
            >
              {text}
              {count !== undefined && " "}
              {count !== undefined && <span class="c">{count}</span>}
            </button>
          ))}
        </div>
        {end !== undefined && <span class="end row">{end}</span>}
      </div>
      <div role="tabpanel" aria-label={title} class="body stack">
        {children}
      </div>
    </>
  );
}

// The rail: pages in three groups, with counts beside the names. On phones, tabs at the bottom
// replace it, and the last tab opens the list of all pages.

import { countBackEndsDown } from "../../data/matrices.js";
import { textAt } from "../../data/node-stat.js";
import { ownCounts } from "../../data/own-counts.js";
import { serverVersion } from "../../data/server-connection.js";
import { systemView } from "../../data/system-view.js";
import { clipForDisplay, count } from "../../data/text.js";
import { replicationState } from "../../data/topology.js";
import type { Page } from "../../router.js";
import { Icon } from "../icon.js";
import { PageLink } from "../page-link.js";
import { Logo } from "./logo.js";
import { ENTRIES, GROUPS } from "./navigation.js";

interface Mark {
  readonly text: string;
  readonly isBad: boolean;
}

/** Counts beside the names of pages. */
function marks(): ReadonlyMap<Page, Mark> {
  const { instances } = systemView.value;
  const down = countBackEndsDown(instances);
  const { subscribers, connected } = replicationState(instances);
  const own = ownCounts.value;
  const found = new Map<Page, Mark>();
  if (instances.length > 1) found.set("system", { text: count(instances.length), isBad: false });
  if (down > 0) found.set("matrix", { text: `${count(down)} down`, isBad: true });
  if (subscribers > 0) {
    const lost = subscribers - connected;
    const text = lost > 0 ? `${count(lost)} lost` : count(subscribers);
    found.set("replication", { text, isBad: lost > 0 });
  }
  if (own.plugins > 0) found.set("plugin", { text: count(own.plugins), isBad: false });
  if (own.graphs > 0) found.set("search", { text: count(own.graphs), isBad: false });
  return found;
}

export function Rail({ page }: { readonly page: Page }) {
  const beside = marks();
  const { instances, id: ownId } = systemView.value;
  const own = instances.find(({ id }) => id === ownId);
  return (
    <nav class="rail" aria-label="Pages">
      <PageLink to="system" className="brand" label="svc, system">
        <Logo />
        <b>svc</b>
      </PageLink>
      {GROUPS.map(([title, entries]) => (
        <>
          <div class="group">{title}</div>
          {entries.map(({ page: to, title: name, icon }) => {
            const mark = beside.get(to);
            return (
              <PageLink
                key={to}
                to={to}
                className="nav"
                tip={name}
                current={to === page ? "page" : undefined}
              >
                <Icon name={icon} />
                <span class="t">{name}</span>
                {mark !== undefined && (
                  <span class={mark.isBad ? "n t bad" : "n t"}>{mark.text}</span>
                )}
              </PageLink>
            );
          })}
        </>
      ))}
      <div class="foot">
        <span>{clipForDisplay(serverVersion.value.split(" [")[0] || "svc console", 24)}</span>
        {own !== undefined && (
          <span class="mono">
            build {clipForDisplay((textAt(own.node, "build") || "none").slice(0, 8), 12)}
          </span>
        )}
      </div>
    </nav>
  );
}

const TABS: readonly Page[] = ["system", "status", "plugin", "search"];

export function TabBar({ page, onMore }: { readonly page: Page; readonly onMore: () => void }) {
  return (
    <nav class="tabbar" aria-label="Main pages">
      {ENTRIES.filter((entry) => TABS.includes(entry.page)).map((entry) => (
        <PageLink
          key={entry.page}
          to={entry.page}
          current={entry.page === page ? "page" : undefined}
        >
          <Icon name={entry.icon} />
          {entry.title}
        </PageLink>
      ))}
      <button type="button" onClick={onMore}>
        <Icon name="more" />
        More
      </button>
    </nav>
  );
}

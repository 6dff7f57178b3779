// Items of the command palette: pages, instances, plugins, vertices, log lines, actions.

import type { HistoryEntry } from "../../data/history.js";
import { consoleUrl } from "../../data/instances.js";
import type { PluginCatalog } from "../../data/known-plugins.js";
import { toggleHold } from "../../data/range.js";
import { systemView } from "../../data/system-view.js";
import { clipForDisplay } from "../../data/text.js";
import { navigate } from "../../router.js";
import { switchTheme } from "../../theme.js";
import type { IconName } from "../icons.js";
import { ENTRIES } from "./navigation.js";

const MAX_ITEMS = 12;

export interface PaletteItem {
  readonly title: string;
  readonly kind: string;
  readonly icon: IconName;
  run(): void;
}

export interface Findable {
  readonly plugins: PluginCatalog["plugins"];
  readonly graphs: readonly string[];
  /** Saved calls and queries. */
  readonly saved: readonly HistoryEntry[];
}

/** Returns the items that contain a text, the ones that begin with it first. */
export function findItems(
  text: string,
  { plugins, graphs, saved }: Findable,
): readonly PaletteItem[] {
  const searchText = text.trim().toLowerCase();
  const fixed = [
    ...pages(),
    ...instances(),
    ...pluginItems(plugins),
    ...savedItems(saved),
    ...actions(),
  ];
  const found = fixed.filter(({ title }) => title.toLowerCase().includes(searchText));
  const rank = ({ title }: PaletteItem) => (title.toLowerCase().startsWith(searchText) ? 0 : 1);
  found.sort((a, b) => rank(a) - rank(b));
  return [
    ...found.slice(0, MAX_ITEMS),
    ...(searchText === "" ? [] : searches(text.trim(), graphs)),
  ];
}

function pages(): PaletteItem[] {
  return ENTRIES.map(({ page, title, icon }) => ({
    ...{ title, icon, kind: "Page" },
    run: () => navigate(page),
  }));
}

function instances(): PaletteItem[] {
  return systemView.value.instances.flatMap((instance) => {
    const target = consoleUrl(instance, "system", location.protocol);
    if (target === null) return [];
    const title = clipForDisplay(instance.id || instance.address, 60);
    const kind = `Instance · ${instance.state.word}`;
    return [{ title, kind, icon: "server" as const, run: () => location.assign(target) }];
  });
}

function pluginItems(plugins: Findable["plugins"]): PaletteItem[] {
  return plugins.map(({ name }) => ({
    ...{ title: clipForDisplay(name, 60), kind: "Plugin", icon: "plug" as const },
    run: () => navigate(`plugin?${new URLSearchParams({ name })}`),
  }));
}

function savedItems(saved: Findable["saved"]): PaletteItem[] {
  return saved.map(({ title, subject, kind, address }) => ({
    ...{ title: clipForDisplay(title, 60), icon: kind === "call" ? "play" : "graph" },
    kind: `Saved ${kind} · ${clipForDisplay(subject, 30)}`,
    run: () => navigate(address),
  }));
}

function actions(): PaletteItem[] {
  return [
    { title: "Switch theme", kind: "Action", icon: "moon", run: switchTheme },
    { title: "Hold or follow", kind: "Action", icon: "clock", run: toggleHold },
    { title: "Keyboard shortcuts", kind: "Action", icon: "help", run: showHelp },
  ];
}

function showHelp(): void {
  document.dispatchEvent(new CustomEvent("svc-help"));
}

/** Items for any text: a vertex of each graph, lines of the log. */
function searches(text: string, graphs: readonly string[]): PaletteItem[] {
  const shown = clipForDisplay(text, 60);
  return [
    ...graphs.slice(0, 3).map((graph) => ({
      ...{ title: `Vertex ${shown}`, kind: clipForDisplay(graph, 40), icon: "graph" as const },
      run: () => navigate(`search?${new URLSearchParams({ graph, id: text })}`),
    })),
    {
      ...{ title: `Log lines with “${shown}”`, kind: "Logs", icon: "log" },
      run: () => navigate(`logs?${new URLSearchParams({ text })}`),
    },
  ];
}

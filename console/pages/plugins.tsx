// All plugins of this instance with their recent requests, and a form to try each of them.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { PluginSpec } from "../../argspec/argspec.js";
import { type PluginCatalog, pluginCatalog } from "../data/known-plugins.js";
import { useLive } from "../data/server-connection.js";
import { clipForDisplay, count } from "../data/text.js";
import { parseWindows, sum, type Windows } from "../data/windows.js";
import { Icon } from "../parts/icon.js";
import { Loading } from "../parts/loading.js";
import { Note } from "../parts/note.js";
import { PageLink } from "../parts/page-link.js";
import { Spark } from "../parts/spark.js";
import { currentRoute, saveStatePart } from "../router.js";
import { readAccess } from "../try/access.js";
import { TryPlugin } from "../try/try-plugin.js";

const WINDOW_S = 300;
const EVERY_MS = 5000;

export function Plugins() {
  const [known, setKnown] = useState<PluginCatalog | null>(null);
  const [failure, setFailure] = useState("");
  const { params } = currentRoute.value;
  const chosen = params.get("name") ?? params.get("plugin");
  const answer = useLive(`svc/windows?range=${WINDOW_S}`, EVERY_MS);
  const windows = useMemo(() => parseWindows(answer), [answer]);
  useEffect(() => {
    pluginCatalog().then(setKnown, (error: Error) => setFailure(error.message));
  }, []);
  if (failure !== "") return <Note>The plugins cannot be read: {clipForDisplay(failure)}</Note>;
  if (known === null) {
    return (
      <>
        <h1>Plugins</h1>
        <Loading what="plugins" />
      </>
    );
  }
  const { plugins, hasMatrix, elsewhere, isAuthenticated } = known;
  const plugin = plugins.find(({ name }) => name === chosen);
  return (
    <div class="two">
      <PluginList known={known} windows={windows} chosen={chosen} />
      {plugin !== undefined ? (
        <TryPlugin
          key={plugin.name}
          plugin={plugin}
          isAuthenticated={isAuthenticated}
          ways={!hasMatrix ? "here" : elsewhere.has(plugin.name) ? "matrix" : "both"}
          window={windows?.plugins.find(({ name }) => name === plugin.name)}
          windows={{ boundsMs: windows?.boundsMs ?? [], seconds: WINDOW_S }}
        />
      ) : (
        <div class="stack">
          <h1>Plugins</h1>
          <p class="soft">
            {chosen === null
              ? "Select a plugin to see its parameters and to call it."
              : `Plugin not found: ${clipForDisplay(chosen)}.`}
          </p>
        </div>
      )}
    </div>
  );
}

interface PluginListProps {
  readonly known: PluginCatalog;
  readonly windows: Windows | null;
  readonly chosen: string | null;
}

function PluginList({ known, windows, chosen }: PluginListProps) {
  const { plugins, isAuthenticated } = known;
  const search = currentRoute.value.params.get("search") ?? "";
  const words = search.toLowerCase();
  const found = plugins.filter(({ name, summary }) =>
    `${name} ${summary}`.toLowerCase().includes(words),
  );
  const counts = new Map(windows?.plugins.map((plugin) => [plugin.name, plugin.counts]));
  const maximum = Math.max(1, ...[...counts.values()].flat());
  return (
    <section class={chosen === null ? "card" : "card listed"} aria-label="Plugins">
      <div class="body stack">
        <input
          id="search"
          data-filter
          aria-label="Search plugins"
          placeholder={`Search ${count(plugins.length)} plugins`}
          value={search}
          autocomplete="off"
          onInput={(event) => saveStatePart("search", event.currentTarget.value)}
        />
        {found.length === 0 && <p class="soft">No plugin matches.</p>}
        <ul class="plist">
          {found.map((plugin) => (
            <ListItem
              key={`${plugin.name} ${plugin.role}`}
              plugin={plugin}
              isChosen={plugin.name === chosen}
              isGuarded={isGuarded(plugin, isAuthenticated)}
              counts={counts.get(plugin.name)}
              most={maximum}
              search={search}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

function isGuarded(plugin: PluginSpec, isAuthenticated: boolean): boolean {
  const { guards, scopes, needsPrincipal } = readAccess(plugin, isAuthenticated);
  return guards.length > 0 || scopes.length > 0 || needsPrincipal;
}

interface ListItemProps {
  readonly plugin: PluginSpec;
  readonly isChosen: boolean;
  readonly isGuarded: boolean;
  readonly counts: readonly number[] | undefined;
  /** Upper end of the scale that all items share. */
  readonly most: number;
  readonly search: string;
}

function ListItem({ plugin, isChosen, isGuarded, counts, most, search }: ListItemProps) {
  const { name, summary, result } = plugin;
  const kept = search === "" ? {} : { search };
  return (
    <li>
      <PageLink
        to={`plugin?${new URLSearchParams({ name, ...kept })}`}
        current={isChosen ? "true" : undefined}
      >
        <span class="nm">
          <span class="clip">{clipForDisplay(name, 60)}</span>
          {isGuarded && <Icon name="lock" />}
          {!plugin.readonly && <span class="tag warn">changes</span>}
          {result.kind === "stream" && <span class="tag">stream</span>}
        </span>
        {counts !== undefined && sum(counts) > 0 ? (
          <Spark values={counts} max={most} label={`${count(sum(counts))} calls in 5 min`} />
        ) : (
          <span class="faint xs calls">no calls</span>
        )}
        <span class="ds clip">{clipForDisplay(summary)}</span>
      </PageLink>
    </li>
  );
}

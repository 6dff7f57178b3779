// All plugins of this instance, and a form to try each of them.

import { useEffect, useState } from "preact/hooks";
import type { PluginSpec } from "../../argspec/argspec.js";
import { type PluginCatalog, pluginCatalog } from "../data/known-plugins.js";
import { clipForDisplay } from "../data/text.js";
import { Note } from "../parts/note.js";
import { PageLink } from "../parts/page-link.js";
import { currentRoute, saveStatePart } from "../router.js";
import { TryPlugin } from "./try-plugin.js";

export function Plugins() {
  const [known, setKnown] = useState<PluginCatalog | null>(null);
  const [failure, setFailure] = useState("");
  const { params } = currentRoute.value;
  const chosen = params.get("name") ?? params.get("plugin");
  useEffect(() => {
    pluginCatalog().then(setKnown, (error: Error) => setFailure(error.message));
  }, []);
  if (failure !== "") return <Note>The plugins cannot be read: {clipForDisplay(failure)}</Note>;
  if (known === null) return <p class="soft">Loading plugins…</p>;
  const { plugins, hasMatrix, elsewhere, isAuthenticated } = known;
  const search = params.get("search") ?? "";
  const wanted = search.toLowerCase();
  const found = plugins.filter(({ name, summary }) =>
    `${name} ${summary}`.toLowerCase().includes(wanted),
  );
  const plugin = plugins.find(({ name }) => name === chosen);
  return (
    <div class="two">
      <section class="card">
        <div class="field">
          <label for="search">Search</label>
          <input
            id="search"
            value={search}
            autocomplete="off"
            onInput={(event) => saveStatePart("search", event.currentTarget.value)}
          />
        </div>
        <Names plugins={found} chosen={chosen} search={search} />
      </section>
      {plugin !== undefined ? (
        <TryPlugin
          key={plugin.name}
          plugin={plugin}
          isAuthenticated={isAuthenticated}
          ways={!hasMatrix ? "here" : elsewhere.has(plugin.name) ? "matrix" : "both"}
        />
      ) : (
        <p class="soft">
          {chosen === null
            ? "Select a plugin to see its parameters and to call it."
            : `Plugin not found: ${clipForDisplay(chosen)}.`}
        </p>
      )}
    </div>
  );
}

interface NamesProps {
  readonly plugins: readonly PluginSpec[];
  readonly chosen: string | null;
  readonly search: string;
}

function Names({ plugins, chosen, search }: NamesProps) {
  if (plugins.length === 0) return <p class="soft">No plugin matches.</p>;
  return (
    <ul class="names">
      {plugins.map(({ name, summary }) => {
        const kept = search === "" ? {} : { search };
        const address = `plugin?${new URLSearchParams({ name, ...kept })}`;
        return (
          <li key={name}>
            <PageLink to={address} current={name === chosen ? "true" : undefined}>
              {clipForDisplay(name)}
            </PageLink>
            <div class="soft">{clipForDisplay(summary)}</div>
          </li>
        );
      })}
    </ul>
  );
}

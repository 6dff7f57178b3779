// The command palette. The field keeps the focus: arrow keys select an item, Enter runs it, Escape
// closes the palette. Then the focus returns to the previous element.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { listEntries } from "../../data/history.js";
import { pluginCatalog } from "../../data/known-plugins.js";
import { graphNames } from "../../graph/neighbors.js";
import { Icon } from "../icon.js";
import { type Findable, findItems, type PaletteItem } from "./palette-items.js";

const NOTHING: Findable = { plugins: [], graphs: [], saved: [] };

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const findable = useFindable();
  const items = findItems(text, findable);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    dialog.current!.close();
    item.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setAt((at + step + items.length) % Math.max(1, items.length));
    else if (event.key === "Enter") run(items[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog class="pal" ref={dialog} aria-label="Command palette" onClose={onClose}>
      <input
        id="palette"
        role="combobox"
        aria-label="Go to a page, instance, plugin, vertex or action"
        aria-expanded="true"
        aria-controls="palette-items"
        aria-activedescendant={items.length > 0 ? `palette-${at}` : undefined}
        value={text}
        autocomplete="off"
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id="palette-items" role="listbox" aria-label="Found">
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field points at it
          <div
            key={`${item.kind}/${item.title}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(item)}
          >
            <Icon name={item.icon} />
            <span class="clip">{item.title}</span>
            <span class="end">{item.kind}</span>
          </div>
        ))}
      </div>
      {items.length === 0 && <p class="soft none">Nothing found.</p>}
    </dialog>
  );
}

/** Loads plugins and other items when the palette opens; failed requests yield no items. */
function useFindable(): Findable {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    const none = () => [];
    const plugins = pluginCatalog().then((catalog) => catalog.plugins, none);
    const kept = Promise.all([listEntries("call"), listEntries("query")]);
    void Promise.all([plugins, graphNames().catch(none), kept]).then(([all, graphs, entries]) =>
      setFound({ plugins: all, graphs, saved: entries.flat().filter(({ isSaved }) => isSaved) }),
    );
  }, []);
  return found;
}

// Earlier and saved entries of a page; one click restores an entry.

import { useEffect, useState } from "preact/hooks";
import {
  deleteEntry,
  type HistoryEntry,
  type HistoryKind,
  listEntries,
  rememberEntry,
} from "../data/history.js";
import { clipForDisplay, clockTime } from "../data/text.js";
import { Icon } from "./icon.js";

interface HistoryListProps {
  readonly entries: readonly HistoryEntry[];
  readonly onPick: (entry: HistoryEntry) => void;
  /** After an entry was saved or deleted. */
  readonly onChange: () => void;
}

/** Returns the entries of a plugin or graph, and a function that reloads them. */
export function useHistory(kind: HistoryKind, subject: string) {
  const [entries, setEntries] = useState<readonly HistoryEntry[]>([]);
  const reload = (): void => {
    void listEntries(kind).then((all) => {
      setEntries(all.filter((entry) => entry.subject === subject));
    });
  };
  useEffect(reload, [kind, subject]);
  return { entries, reload };
}

export function HistoryList({ entries, onPick, onChange }: HistoryListProps) {
  const save = async (entry: HistoryEntry): Promise<void> => {
    const { id: _, ...rest } = entry;
    await rememberEntry({ ...rest, isSaved: true });
    onChange();
  };
  const remove = async ({ id }: HistoryEntry): Promise<void> => {
    await deleteEntry(id);
    onChange();
  };
  if (entries.length === 0) return <p class="soft none">No entries yet.</p>;
  return (
    <ul class="list earlier">
      {entries.map((entry) => (
        <li key={entry.id}>
          <span class="faint s tn">{clockTime(entry.at)}</span>
          <button type="button" class="link clip mono" onClick={() => onPick(entry)}>
            {clipForDisplay(entry.title, 120) || "without arguments"}
          </button>
          <span class="row nowrap">
            {entry.isSaved ? (
              <span class="tag acc">saved</span>
            ) : (
              <Button icon="save" label="Save" entry={entry} onClick={() => void save(entry)} />
            )}
            <Button icon="close" label="Delete" entry={entry} onClick={() => void remove(entry)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ButtonProps {
  readonly icon: "save" | "close";
  readonly label: string;
  readonly entry: HistoryEntry;
  readonly onClick: () => void;
}

function Button({ icon, label, entry, onClick }: ButtonProps) {
  const text = `${label}: ${clipForDisplay(entry.title, 60)}`;
  return (
    <button type="button" class="btn icon bare" aria-label={text} title={text} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

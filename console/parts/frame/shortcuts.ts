// Keyboard shortcuts of all pages. Single letters can be switched off, because speech input and
// slips trigger them (WCAG 2.1.4); the choice is stored.

import { changeRange, toggleHold } from "../../data/range.js";
import { navigate } from "../../router.js";
import { switchTheme } from "../../theme.js";
import { ENTRIES } from "./navigation.js";

const KEY = "svc-keys";
/** Between `g` and the letter of a page. */
const MAX_PAUSE_MS = 1500;
const TYPED_INTO = "input, select, textarea, [contenteditable], dialog";

export const SHORTCUTS: readonly (readonly [keys: string, effect: string])[] = [
  ["Ctrl K", "command palette"],
  ["/", "filter of the page"],
  ["j, k", "next and previous row"],
  ["[, ]", "shorter and longer time range"],
  ["h", "hold or follow"],
  ["t", "switch the theme"],
  ["?", "this list"],
  ...ENTRIES.map(({ key, title }) => [`g ${key}`, title] as const),
];

export function areLettersOn(): boolean {
  return localStorage.getItem(KEY) !== "off";
}

export function switchLetters(isOn: boolean): void {
  localStorage.setItem(KEY, isOn ? "on" : "off");
}

interface Commands {
  openPalette(): void;
  openHelp(): void;
}

/** Listens for shortcuts; returns a function that ends it. */
export function startShortcuts(commands: Commands): () => void {
  let goAt = Number.NEGATIVE_INFINITY;
  const onKey = (event: KeyboardEvent): void => {
    // When the keys were pressed: a busy page handles them later.
    const { key, ctrlKey, metaKey, altKey, timeStamp } = event;
    if (key.toLowerCase() === "k" && (ctrlKey || metaKey)) {
      event.preventDefault();
      return commands.openPalette();
    }
    const isTyped = event.target instanceof Element && event.target.closest(TYPED_INTO) !== null;
    if (isTyped || ctrlKey || metaKey || altKey || !areLettersOn()) return;
    if (key === "g" && timeStamp - goAt > MAX_PAUSE_MS) {
      goAt = timeStamp;
      return;
    }
    const isAfterGo = timeStamp - goAt <= MAX_PAUSE_MS;
    goAt = Number.NEGATIVE_INFINITY;
    const isDone = isAfterGo ? goTo(key) : runLetter(key, commands);
    if (isDone) event.preventDefault();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function goTo(key: string): boolean {
  const entry = ENTRIES.find((candidate) => candidate.key === key);
  if (entry !== undefined) navigate(entry.page);
  return entry !== undefined;
}

function runLetter(key: string, commands: Commands): boolean {
  switch (key) {
    case "/":
      return focusOn(document.querySelector("main [data-filter], main input:not([type=radio])"));
    case "j":
      return moveRow(1);
    case "k":
      return moveRow(-1);
    case "[":
      changeRange(-1);
      return true;
    case "]":
      changeRange(1);
      return true;
    case "h":
      toggleHold();
      return true;
    case "t":
      switchTheme();
      return true;
    case "?":
      commands.openHelp();
      return true;
    default:
      return false;
  }
}

function focusOn(element: Element | null | undefined): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  return true;
}

/** Moves to the control of the next row that has one. */
function moveRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll("main tbody tr")].filter(
    (row) => row.querySelector("a, button") !== null,
  );
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  return focusOn(rows[next]?.querySelector("a, button"));
}

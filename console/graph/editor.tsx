// A text field with line numbers, completion below it and errors at their positions. The arrow keys
// move through the completions and Enter accepts one; nothing is inserted without a choice.

import { useRef, useState } from "preact/hooks";
import { clipForDisplay } from "../data/text.js";
import { type Completion, lineAt, type QueryFault } from "./query-text.js";

interface EditorProps {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly mistake: QueryFault | null;
  readonly complete: (text: string, cursor: number) => Completion;
  readonly onText: (text: string) => void;
  /** Called for Shift+Enter or Ctrl+Enter. */
  readonly onRun: () => void;
}

const MIN_ROWS = 9;
const MAX_ROWS = 18;
const NOTHING: Completion = { from: 0, words: [] };

export function Editor({ id, label, text, mistake, complete, onText, onRun }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [completion, setCompletion] = useState(NOTHING);
  const [chosen, setChosen] = useState(-1);
  const { from, words } = completion;
  const offer = (next: Completion): void => {
    setCompletion(next);
    setChosen(-1);
  };
  const take = (word: string): void => {
    const { current: element } = area;
    const rest = text.slice(element!.selectionEnd);
    onText(text.slice(0, from) + word + rest);
    offer(NOTHING);
    element!.focus();
    // After the text has been rendered.
    requestAnimationFrame(() => element!.setSelectionRange(from + word.length, from + word.length));
  };
  const onKey = (event: KeyboardEvent): void => {
    const isDone = onEditorKey(event, {
      ...{ words, chosen, offer, take, choose: setChosen, run: onRun },
      complete: () => offer(complete(text, area.current!.selectionEnd)),
    });
    if (isDone) event.preventDefault();
  };
  const lines = text.split("\n").length;
  const numbers = useRef<HTMLPreElement>(null);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="editor">
        <pre aria-hidden="true" ref={numbers}>
          {Array.from({ length: lines }, (_, index) => index + 1).join("\n")}
        </pre>
        <textarea
          id={id}
          ref={area}
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, lines + 1))}
          wrap="off"
          onScroll={({ currentTarget }) => {
            numbers.current!.scrollTop = currentTarget.scrollTop;
          }}
          value={text}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={mistake !== null}
          aria-describedby={`${id}-mistake`}
          aria-autocomplete="list"
          aria-controls={words.length > 0 ? `${id}-words` : undefined}
          aria-activedescendant={chosen >= 0 ? `${id}-word-${chosen}` : undefined}
          onInput={(event) => {
            const { value, selectionEnd } = event.currentTarget;
            onText(value);
            offer(complete(value, selectionEnd));
          }}
          onKeyDown={onKey}
          onBlur={() => offer(NOTHING)}
        />
      </div>
      <Words id={id} words={words} chosen={chosen} onTake={take} />
      <div id={`${id}-mistake`}>
        {mistake !== null && <FaultLocation text={text} mistake={mistake} />}
      </div>
    </div>
  );
}

interface EditorKeys {
  readonly words: readonly string[];
  /** Offset of the chosen completion in `words`; -1: none is chosen. */
  readonly chosen: number;
  run(): void;
  complete(): void;
  offer(completion: Completion): void;
  take(word: string): void;
  choose(index: number): void;
}

/** Handles a key; returns false if the editor does not use it. */
function onEditorKey(event: KeyboardEvent, keys: EditorKeys): boolean {
  const { words, chosen } = keys;
  const isStep = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (event.key === "Enter" && (event.shiftKey || isControl(event))) keys.run();
  else if (event.key === " " && event.ctrlKey) keys.complete();
  else if (words.length === 0) return false;
  else if (event.key === "Escape") keys.offer(NOTHING);
  else if (event.key === "Enter" && chosen >= 0) keys.take(words[chosen]!);
  else if (isStep) {
    const step = event.key === "ArrowDown" ? 1 : -1;
    const start = chosen < 0 && step < 0 ? 1 : 0;
    keys.choose((chosen + step + words.length + start) % words.length);
  } else return false;
  return true;
}

function isControl({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey;
}

interface WordsProps {
  readonly id: string;
  readonly words: readonly string[];
  readonly chosen: number;
  readonly onTake: (word: string) => void;
}

function Words({ id, words, chosen, onTake }: WordsProps) {
  if (words.length === 0) return null;
  return (
    <div role="listbox" id={`${id}-words`} class="words" aria-label="Completions">
      {words.map((word, index) => (
        // Prevents the field from losing the focus.
        // biome-ignore lint/a11y/useFocusableInteractive: the field points at it
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={word}
          role="option"
          id={`${id}-word-${index}`}
          aria-selected={index === chosen}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(word)}
        >
          {clipForDisplay(word, 60)}
        </div>
      ))}
    </div>
  );
}

const MAX_LINE = 120;

function FaultLocation({ text, mistake }: { readonly text: string; readonly mistake: QueryFault }) {
  const { line, column, text: whole } = lineAt(text, mistake.at);
  const start = Math.max(0, column - MAX_LINE / 2);
  // Control characters are shown as dots of the same width.
  const part = whole.slice(start, start + MAX_LINE).replace(/[\p{C}\p{Z}]/gu, (mark) => {
    return mark === " " ? mark : "·".repeat(mark.length);
  });
  return (
    <>
      <span class="bad">
        line {line}, column {column}: {clipForDisplay(mistake.message)}
      </span>
      <pre aria-hidden="true">
        {part}
        {"\n"}
        {" ".repeat(Math.max(0, column - 1 - start))}^
      </pre>
    </>
  );
}

// Asks before an operation is done: for its arguments, and for a word where it cannot be undone.
// Escape leaves everything as it is.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Operation } from "../data/operations.js";

interface ConfirmProps {
  readonly operation: Operation;
  /** What has to be typed; null: a click is enough. */
  readonly word: string | null;
  readonly onDone: (args: Readonly<Record<string, string>>) => void;
  readonly onCancel: () => void;
}

export function ConfirmDialog({ operation, word, onDone, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => dialog.current!.showModal(), []);
  const isRight = word === null || typed.trim() === word;
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onCancel}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isRight) onDone(values);
        }}
      >
        <h2 id="confirm-title">{operation.title}</h2>
        <p>{operation.effect}</p>
        {(operation.args ?? []).map(({ name, label, hint }) => (
          <div class="field" key={name}>
            <label for={`confirm-${name}`}>{label}</label>
            <input
              id={`confirm-${name}`}
              placeholder={hint}
              value={values[name] ?? ""}
              autocomplete="off"
              onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          </div>
        ))}
        {word !== null && (
          <div class="field">
            <label for="confirm-word">
              Type <code>{word}</code> to confirm
            </label>
            <input
              id="confirm-word"
              value={typed}
              autocomplete="off"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </div>
        )}
        <div class="row">
          <button class="main" type="submit" disabled={!isRight}>
            {operation.title}
          </button>
          <button type="button" onClick={() => dialog.current!.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

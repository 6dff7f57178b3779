// Dialog that confirms an operation: it asks for the arguments, and for a word if the operation
// cannot be undone. Escape cancels.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Argument, Operation } from "../data/operations.js";
import { clipForDisplay } from "../data/text.js";

interface ConfirmProps {
  readonly operation: Operation;
  /** Ids of the instances; empty if there is only one. */
  readonly targets: readonly string[];
  /** Text to type for confirmation; null: a click is enough. */
  readonly word: string | null;
  readonly onDone: (args: Readonly<Record<string, string>>) => void;
  readonly onCancel: () => void;
}

export function ConfirmDialog({ operation, targets, word, onDone, onCancel }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      (operation.args ?? []).map(({ name, choices }) => [name, choices?.[0] ?? ""]),
    ),
  );
  // A layout effect runs before the next event, which may close the dialog.
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const args = operation.args ?? [];
  const isConfirmed = word === null || typed.trim() === word;
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={onCancel}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed) onDone(removeEmpty(values));
        }}
      >
        <h2 id="confirm-title">{operation.title}</h2>
        <p>{operation.effect}</p>
        {targets.length > 0 && <p>On {targets.map((id) => clipForDisplay(id, 40)).join(", ")}.</p>}
        {args.map((argument) => {
          const { name, label } = argument;
          return (
            <div class="field" key={name}>
              <label for={`confirm-${name}`}>{label}</label>
              <Value
                argument={argument}
                text={values[name] ?? ""}
                onText={(text) => setValues({ ...values, [name]: text })}
              />
            </div>
          );
        })}
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
          <button class="btn main" type="submit" disabled={!isConfirmed}>
            {operation.title}
          </button>
          <button type="button" class="btn" onClick={() => dialog.current!.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Removes empty values: the server applies its defaults. */
function removeEmpty(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text !== ""));
}

interface ValueProps {
  readonly argument: Argument;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Value({ argument: { name, hint, choices }, text, onText }: ValueProps) {
  const id = `confirm-${name}`;
  if (choices === undefined) {
    return (
      <input
        id={id}
        placeholder={hint}
        value={text}
        autocomplete="off"
        onInput={(event) => onText(event.currentTarget.value)}
      />
    );
  }
  return (
    <select id={id} value={text} onChange={(event) => onText(event.currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

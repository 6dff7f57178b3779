// All keyboard shortcuts, and the switch for single letters.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { areLettersOn, SHORTCUTS, switchLetters } from "./shortcuts.js";

export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(areLettersOn);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl class="kv">
        {SHORTCUTS.map(([keys, effect]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </>
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            switchLetters(checked);
            setOn(checked);
          }}
        />
        Shortcuts of single letters
      </label>
      <button type="button" class="btn" onClick={() => dialog.current!.close()}>
        Close
      </button>
    </dialog>
  );
}

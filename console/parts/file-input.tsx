// Input for a file, which can be chosen, dropped or pasted; shows its name, type and size.

import { useRef, useState } from "preact/hooks";
import { bytes, clipForDisplay } from "../data/text.js";
import { Icon } from "./icon.js";

interface FileInputProps {
  readonly id: string;
  readonly file: File | undefined;
  readonly isInvalid: boolean;
  readonly onFile: (file: File | undefined) => void;
}

export function FileInput({ id, file, isInvalid, onFile }: FileInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (list: FileList | undefined, event: Event): void => {
    const first = list?.[0];
    if (first === undefined) return;
    event.preventDefault();
    onFile(first);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same
    <div
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files, event);
      }}
      onPaste={(event) => take(event.clipboardData?.files, event)}
    >
      <Icon name="file" />
      <div class="grow">
        {file === undefined ? (
          <span class="soft s">Drop a file here, paste or choose one</span>
        ) : (
          <>
            <strong class="blk clip">{clipForDisplay(file.name, 60)}</strong>
            <span class="faint s">
              {clipForDisplay(file.type || "unknown type", 60)}, {bytes(file.size)}
            </span>
          </>
        )}
      </div>
      <input
        ref={input}
        id={id}
        type="file"
        hidden
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
      />
      {file !== undefined && (
        <button type="button" class="btn" onClick={() => onFile(undefined)}>
          Remove
        </button>
      )}
      <button
        type="button"
        class="btn"
        id={`${id}-choose`}
        aria-invalid={isInvalid}
        aria-describedby={`${id}-about`}
        onClick={() => input.current!.click()}
      >
        Choose…
      </button>
    </div>
  );
}

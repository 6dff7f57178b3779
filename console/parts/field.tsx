// A field of a form, generated from the schema of its parameter: input, type, limits, and the
// reason why the input is invalid.

import type { Field } from "../data/form.js";
import { clipForDisplay } from "../data/text.js";
import { FileInput } from "./file-input.js";
import { Icon } from "./icon.js";

interface FieldProps {
  readonly field: Field;
  readonly text: string;
  readonly file: File | undefined;
  readonly mistake: string | null;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
}

/** Longer limits are clipped; their tooltip shows the whole text. */
const MAX_LIMIT = 40;

export function FieldInput(props: FieldProps) {
  const { field, text, file, mistake, onFile } = props;
  const { name, kind, isRequired, type, description, limits } = field;
  const id = `field-${name}`;
  const isFile = kind === "file" || (kind === "body" && file !== undefined);
  // An empty field is not reported as invalid.
  const isSeen = mistake !== null && text !== "";
  return (
    <div class="field">
      <label for={isFile ? `${id}-choose` : id}>
        {clipForDisplay(name, 60)} <span class="type">{type}</span>
        {isRequired && <span class="req">required</span>}
      </label>
      {!isFile && <TextInput {...props} id={id} isInvalid={isSeen} />}
      {(kind === "body" || isFile) && (
        <FileInput id={`${id}-file`} file={file} isInvalid={isSeen} onFile={onFile} />
      )}
      <div id={`${id}-about`}>
        {isSeen && (
          <div class="bad">
            <Icon name="warn" /> {clipForDisplay(mistake)}
          </div>
        )}
        {(description !== "" || limits.length > 0) && (
          <div class="hint">
            {description !== "" && <span>{clipForDisplay(description)}</span>}
            {limits.map((limit) => (
              <span class="lim" key={limit} title={limit}>
                {clipForDisplay(limit, MAX_LIMIT)}
              </span>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

function TextInput({ field, text, id, isInvalid, onText }: FieldProps & TextInputProps) {
  const { kind, isRequired, hint, choices } = field;
  const common = {
    id,
    "aria-describedby": `${id}-about`,
    "aria-invalid": isInvalid,
    onInput: (event: Event) => onText((event.target as HTMLInputElement).value),
  };
  const unset = kind === "body" ? "text" : "default";
  const placeholder = isRequired ? "" : hint === "" ? unset : clipForDisplay(hint, 80);
  if (kind === "choice") {
    return (
      <select {...common} value={text}>
        <option value="">{hint === "" ? "default" : `default: ${clipForDisplay(hint, 80)}`}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {clipForDisplay(choice, 80)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "body" || kind === "json") {
    const rows = kind === "body" ? 4 : 2;
    return <textarea {...common} rows={rows} placeholder={placeholder} value={text} />;
  }
  const look = kind === "number" ? "num" : "";
  return (
    <input {...common} class={look} placeholder={placeholder} value={text} autocomplete="off" />
  );
}

interface TextInputProps {
  readonly id: string;
  readonly isInvalid: boolean;
}

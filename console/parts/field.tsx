// One field of a form, made for the schema of its parameter.

import type { Field } from "../data/form.js";
import { clipForDisplay } from "../data/text.js";

interface FieldProps {
  readonly field: Field;
  readonly text: string;
  readonly mistake: string | null;
  readonly onText: (text: string) => void;
}

export function FieldInput({ field, text, mistake, onText }: FieldProps) {
  const { name, kind, isRequired, hint, choices, type, description } = field;
  const id = `field-${name}`;
  const common = {
    id,
    "aria-describedby": `${id}-about`,
    "aria-invalid": mistake !== null,
    onInput: (event: Event) => onText((event.target as HTMLInputElement).value),
  };
  const placeholder = isRequired ? "" : hint === "" ? "default" : clipForDisplay(hint, 80);
  return (
    <div class="field">
      <label for={id}>
        {clipForDisplay(name)} <span class="soft">{isRequired ? `${type}, required` : type}</span>
      </label>
      {kind === "choice" ? (
        <select {...common} value={text}>
          <option value="">
            {hint === "" ? "default" : `default: ${clipForDisplay(hint, 80)}`}
          </option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {clipForDisplay(choice, 80)}
            </option>
          ))}
        </select>
      ) : kind === "body" || kind === "json" ? (
        <textarea
          {...common}
          rows={kind === "body" ? 5 : 2}
          placeholder={placeholder}
          value={text}
        />
      ) : (
        <input {...common} placeholder={placeholder} value={text} autocomplete="off" />
      )}
      <div id={`${id}-about`}>
        <span class="soft">{clipForDisplay(description)}</span>
        {mistake !== null && text !== "" && <span class="bad"> {clipForDisplay(mistake)}</span>}
      </div>
    </div>
  );
}

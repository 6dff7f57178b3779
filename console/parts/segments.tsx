// A choice between a few views as connected buttons.

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly among: readonly (readonly [value: Value, title: string])[];
  /** Beside the titles. */
  readonly counts?: Readonly<Partial<Record<string, string>>>;
  readonly onChoose: (value: Value) => void;
}

export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, value, among, counts, onChoose } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend of its own
    <span class="seg" role="group" aria-label={label}>
      {among.map(([choice, title]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === value}
          onClick={() => onChoose(choice)}
        >
          {title}
          {counts?.[choice] !== undefined && <span class="c"> {counts[choice]}</span>}
        </button>
      ))}
    </span>
  );
}

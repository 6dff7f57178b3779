// An entry of a legend: a line or a square, and its meaning.

interface KeyProps {
  readonly title: string;
  /** Class of a line. */
  readonly line?: string;
  readonly dash?: string;
  /** Class of a square. */
  readonly fill?: string;
  /** The last value. */
  readonly value?: string;
}

export function Key({ title, line, dash, fill, value }: KeyProps) {
  return (
    <span class="key">
      <svg viewBox="0 0 14 12" aria-hidden="true">
        {line !== undefined && (
          <path class={line} stroke-width="2.5" stroke-dasharray={dash} d="M0 6h14" />
        )}
        {fill !== undefined && <rect class={fill} width="12" height="12" rx="3" />}
      </svg>
      {title}
      {value !== undefined && <strong>{value}</strong>}
    </span>
  );
}

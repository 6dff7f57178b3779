// A sparkline: a small chart of the last values without axes, beside a text.

interface SparkProps {
  readonly values: readonly (number | null)[];
  /** Upper end of the scale: charts of one table share it. */
  readonly max?: number;
  readonly label: string;
  readonly tone?: "err" | "q" | "sc3" | "";
}

const WIDTH = 100;
const HEIGHT = 24;

export function Spark({ values, max, label, tone = "" }: SparkProps) {
  const line = sparkPath(values, max);
  return (
    <svg
      class={`spark ${tone}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {line !== "" && (
        <>
          <path class="a" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
          <path class="l" d={line} />
        </>
      )}
    </svg>
  );
}

/** Returns the path of a line in a box of 100 x 24; unknown values count as 0. */
export function sparkPath(values: readonly (number | null)[], max?: number): string {
  if (values.length < 2) return "";
  const top = Math.max(1e-9, max ?? Math.max(...values.map((value) => value ?? 0)));
  const step = WIDTH / (values.length - 1);
  return values
    .map((value, index) => {
      const y = HEIGHT - 1 - (HEIGHT - 2) * Math.min(1, (value ?? 0) / top);
      return `${index === 0 ? "M" : "L"}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}

// Distribution of the requests of each partition over its replicas.

import type { NamedMatrix, PlacedBackEnd } from "../../data/matrices.js";
import { clipForDisplay } from "../../data/text.js";

const MAX_PARTITIONS = 12;
const MAX_NAMED = 4;

interface WorkShareProps {
  readonly matrix: NamedMatrix;
  readonly backEnds: readonly PlacedBackEnd[];
}

export function WorkShare({ matrix, backEnds }: WorkShareProps) {
  const partitions = matrix.partitions.slice(0, MAX_PARTITIONS).map((_, index) => index);
  return (
    <section class="card" aria-label="Share of the work">
      <header>
        <h2>Share of the work</h2>
        <span class="end soft s">last seconds</span>
      </header>
      <div class="body stack">
        {partitions.map((partition) => (
          <Partition
            key={partition}
            partition={partition}
            members={backEnds.filter((backEnd) => backEnd.partition === partition)}
          />
        ))}
        <p class="soft s">
          A request goes to the replica of least cost. Requests that change data go to the primary.
        </p>
      </div>
    </section>
  );
}

interface PartitionProps {
  readonly partition: number;
  readonly members: readonly PlacedBackEnd[];
}

function Partition({ partition, members }: PartitionProps) {
  const all = members.reduce((sum, { rate }) => sum + (rate ?? 0), 0);
  const shares = members.map(({ name, rate }) => ({
    name,
    percent: all === 0 ? 0 : (100 * (rate ?? 0)) / all,
  }));
  let left = 0;
  return (
    <div>
      <div class="row">
        <strong class="s">Partition {partition}</strong>
        {all === 0 && <span class="soft s">no requests</span>}
        {all > 0 &&
          shares.slice(0, MAX_NAMED).map(({ name, percent }, index) => (
            <span class="key" key={name}>
              <svg viewBox="0 0 14 12" aria-hidden="true">
                <rect class={`fill-${(index % 8) + 1}`} width="14" height="12" rx="2" />
              </svg>
              {clipForDisplay(name, 24)} <strong>{Math.round(percent)} %</strong>
            </span>
          ))}
      </div>
      <svg class="bar share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bg" width="100" height="10" />
        {shares.map(({ name, percent }, index) => {
          const x = left;
          left += percent;
          return (
            <rect
              key={name}
              class={`fill-${(index % 8) + 1}`}
              x={x}
              width={Math.max(0, percent - 0.4)}
              height="10"
            />
          );
        })}
      </svg>
    </div>
  );
}

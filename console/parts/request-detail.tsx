// Details of a completed request, with a waterfall of its time.

import { nameAddress } from "../data/instances.js";
import {
  buildRecordWaterfall,
  type RequestRecord,
  slowestBackEnd,
} from "../data/request-records.js";
import { systemView } from "../data/system-view.js";
import { bytes, clipForDisplay, milliseconds, plural, preciseTime } from "../data/text.js";
import { PageLink } from "./page-link.js";
import { WaterfallRows } from "./waterfall.js";

export function RequestDetail({ record }: { readonly record: RequestRecord }) {
  const { plugin, ms, method, status, at, traceparent, content } = record;
  const waterfall = buildRecordWaterfall(record);
  const slowest = slowestBackEnd(record);
  const name = clipForDisplay(plugin, 60);
  const isPlugin = !plugin.includes("/");
  return (
    <section class="card" aria-label="Detail of a request">
      <header>
        <h2>
          {name}, {milliseconds(ms)}
        </h2>
        {record.arguments.map(([argument, size]) => (
          <span class="lim" key={argument}>
            {clipForDisplay(argument, 40)}: {plural(size, "character")}
          </span>
        ))}
        <span class="end row">
          {isPlugin && (
            <PageLink className="btn" to={`plugin?${new URLSearchParams({ name: plugin })}`}>
              Try again
            </PageLink>
          )}
          {traceparent !== "" && (
            <button
              type="button"
              class="btn"
              onClick={() => void navigator.clipboard?.writeText(traceparent)}
            >
              Copy traceparent
            </button>
          )}
        </span>
      </header>
      <div class="body stack">
        <p class="soft">
          {clipForDisplay(method, 10)}, status {status}, arrived at {preciseTime(at)},{" "}
          {bytes(record.bytes)} sent{content > 0 && `, ${bytes(content)} received`}
        </p>
        {slowest !== null && (
          <p>
            Most of the time was spent in{" "}
            <strong>{clipForDisplay(nameAddress(systemView.value.instances, slowest), 60)}</strong>.
          </p>
        )}
        {waterfall === null ? (
          <p class="soft">The request did not run in an executor.</p>
        ) : (
          <WaterfallRows waterfall={waterfall} />
        )}
      </div>
    </section>
  );
}

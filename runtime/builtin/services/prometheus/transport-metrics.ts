// Metrics of the sockets: rejections, memory of requests and responses, certificate.

import { counter, gauge, type Sample, singleSample } from "../../../metrics/exposition.js";
import type { ServerView } from "../../server-view.js";

export function* transportMetrics(view: ServerView): Generator<string> {
  yield* counter(
    "svc_rejections_total",
    "Total requests and connections rejected before a plugin was found, by reason.",
    [...view.rejections.all()].map(([reason, count]): Sample => [{ reason }, count]),
  );
  const memory = view.transportMemory();
  if (memory !== null) {
    yield* gauge("svc_transport_memory_bytes", "Memory of request bodies and unread responses.", [
      [{ kind: "request" }, memory.bodyBytes],
      [{ kind: "response" }, memory.responseBytes],
    ]);
    yield* gauge(
      "svc_transport_memory_limit_bytes",
      "Limits of the memory of request bodies and unread responses.",
      [
        [{ kind: "request" }, memory.maxBodyBytes],
        [{ kind: "response" }, memory.maxResponseBytes],
      ],
    );
  }
  const expiryMs = view.certificateExpiryMs;
  yield* gauge(
    "svc_certificate_expiry_timestamp_seconds",
    "Time at which the certificate expires, since 1970.",
    expiryMs === null ? [] : singleSample(expiryMs / 1000),
  );
}

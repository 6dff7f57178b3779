// Creates the tracer of an instance from its settings and the variables of OpenTelemetry. Settings
// of svc take precedence.

import { hostname } from "node:os";
import { packageInfo } from "../base/package-info.js";
import { readOtelEnvironment } from "../base/tracing/otel-environment.js";
import { Tracer } from "../base/tracing/tracer.js";
import type { ServerSettings } from "../settings/server-settings.js";

const DEFAULT_SAMPLE_EVERY = 1;

/** Identity of the instance in its spans. */
export interface TracedInstance {
  readonly serviceName: string;
  readonly port: number;
}

/**
 * Creates the tracer; null without a collector.
 * @param instance returns the identity, for each batch of spans
 */
export function createTracer(
  { collector, traceSampleEvery }: Pick<ServerSettings, "collector" | "traceSampleEvery">,
  instance: () => TracedInstance,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Tracer | null {
  const otel = readOtelEnvironment(variables);
  const isOwn = collector !== null && collector !== variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  const base = collector === null ? null : `${collector.replace(/\/+$/, "")}/v1/traces`;
  const url = isOwn ? base : (otel.url ?? base);
  if (url === null || otel.isDisabled) return null;
  const { version } = packageInfo();
  const resource = () => {
    const { serviceName, port } = instance();
    return {
      "service.name": serviceName,
      "service.version": version,
      "service.instance.id": `${hostname()}:${port}`,
      ...otel.attributes,
    };
  };
  const { headers, timeoutMs } = otel;
  const isUsual = traceSampleEvery === DEFAULT_SAMPLE_EVERY;
  const every = isUsual ? (otel.sampleEvery ?? traceSampleEvery) : traceSampleEvery;
  return new Tracer({ url, headers, timeoutMs, resource, version }, every);
}

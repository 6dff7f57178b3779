// The Prometheus text format (exposition format 0.0.4): for each family its HELP and TYPE, then one
// line per sample. Generated in chunks, because a matrix may have thousands of back-ends.

import type { Log2Histogram } from "../base/log2-histogram.js";

export const EXPOSITION_TYPE = "text/plain; version=0.0.4";

export type Labels = Readonly<Record<string, string | number>>;
export type Sample = readonly [labels: Labels, value: number];

const LINES_PER_CHUNK = 256;
const NONE: Labels = {};
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

/** Writes a family of values that can rise and fall. */
export function gauge(name: string, help: string, samples: Iterable<Sample>): Iterable<string> {
  return family(name, "gauge", help, lines(name, samples));
}

/** Writes a family of values that only grow; its name ends with `_total`. */
export function counter(name: string, help: string, samples: Iterable<Sample>): Iterable<string> {
  return family(name, "counter", help, lines(name, samples));
}

export function histogram(
  name: string,
  help: string,
  samples: Iterable<readonly [Labels, Log2Histogram]>,
): Iterable<string> {
  return family(name, "histogram", help, histogramLines(name, samples));
}

/** Returns the samples of a family without labels. */
export function singleSample(value: number): readonly Sample[] {
  return [[NONE, value]];
}

function* lines(name: string, samples: Iterable<Sample>): Generator<string> {
  for (const [labels, value] of samples) yield line(name, labels, value);
}

function* histogramLines(
  name: string,
  samples: Iterable<readonly [Labels, Log2Histogram]>,
): Generator<string> {
  for (const [labels, figures] of samples) {
    const bucket = `${name}_bucket`;
    for (const [le, below] of figures.cumulative()) yield line(bucket, { ...labels, le }, below);
    const { count } = figures;
    yield line(bucket, { ...labels, le: "+Inf" }, count);
    yield line(`${name}_sum`, labels, figures.sumSeconds);
    yield line(`${name}_count`, labels, count);
  }
}

function* family(
  name: string,
  type: "gauge" | "counter" | "histogram",
  help: string,
  samples: Iterable<string>,
): Generator<string> {
  let chunk = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  let count = 0;
  for (const sample of samples) {
    chunk += sample;
    if (++count % LINES_PER_CHUNK > 0) continue;
    yield chunk;
    chunk = "";
  }
  // Families without samples are omitted.
  if (count > 0) yield chunk;
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(String(text))}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => ESCAPES[character]!);
}

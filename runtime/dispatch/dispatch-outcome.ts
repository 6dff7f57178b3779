// Outcome of a dispatched request, derived from its partitions.

import type { MatrixConfig } from "../settings/matrix-config.js";
import { type ErrorHierarchy, errorHierarchy } from "./error-hierarchy.js";
import type { PartitionCall, PartitionFailure } from "./partition-call.js";
import type { BackEndResponse } from "./response-parser.js";

export type Outcome =
  /** Responses by partition; null: partition down, or not addressed. */
  | { readonly kind: "answered"; readonly answers: readonly (BackEndResponse | null)[] }
  | DispatchRefusal
  | Failure;

/** A back-end responded with an error, or not at all. */
export interface Failure {
  readonly kind: "failed";
  readonly status: 414 | 500;
  readonly message: string;
  readonly hierarchy: ErrorHierarchy;
}

/** Rejected or cancelled. */
export interface DispatchRefusal {
  readonly kind: "refused";
  readonly status: 429 | 503;
  readonly message: string;
  /** True if a back-end may have executed it at least in part. */
  readonly isBegun: boolean;
}

const URI_TOO_LONG = 414;
const TOO_MANY_REQUESTS = 429;

/**
 * @param parts the addressed partitions
 * @param isLenient allow partial results
 */
export function outcomeOf(
  parts: readonly PartitionCall[],
  config: MatrixConfig,
  isLenient: boolean,
): Outcome {
  const answers: (BackEndResponse | null)[] = new Array(config.partitions.length).fill(null);
  for (const { partition, answer } of parts) answers[partition] = answer;
  const failed = parts.find(({ failure }) => failure !== null);
  if (failed !== undefined) return failureOf(failed.failure!, answers, parts);
  if (parts.every(({ answer }) => answer === null)) {
    return refusalOf(parts, 503, "All partitions down");
  }
  if (isLenient && !meetsCoverage(parts, config)) return refusalOf(parts, 503, "Partition(s) down");
  return { kind: "answered", answers };
}

/** Returns whether enough partitions have responded, among them the required ones. */
export function meetsCoverage(
  parts: readonly PartitionCall[],
  { minCoverage, required }: MatrixConfig,
): boolean {
  const missing = parts.filter(({ answer }) => answer === null);
  if (missing.length === parts.length) return false;
  const share = 1 - missing.length / parts.length;
  return share >= minCoverage && !missing.some(({ partition }) => required.includes(partition));
}

export function refusalOf(
  parts: readonly PartitionCall[],
  status: DispatchRefusal["status"],
  message: string,
): DispatchRefusal {
  return { kind: "refused", status, message, isBegun: parts.some((part) => part.isBegun) };
}

function failureOf(
  failure: PartitionFailure,
  answers: readonly (BackEndResponse | null)[],
  parts: readonly PartitionCall[],
): Outcome {
  const { status, text } = failure;
  if (status === TOO_MANY_REQUESTS) return refusalOf(parts, status, text);
  return {
    kind: "failed",
    status: status === URI_TOO_LONG ? status : 500,
    message: text,
    hierarchy: errorHierarchy(answers, failure),
  };
}

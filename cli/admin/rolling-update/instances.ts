// Status requests of a rolling update to instances.

import { SvcError } from "../../../runtime/base/errors.js";
import { isPlainObject } from "../../../runtime/base/plain-object.js";
import { requestInstance } from "../../../runtime/system/instance-client.js";
import type { AdminContext } from "../context.js";

const REQUEST_TIMEOUT_MS = 5000;

export type StatusObject = Readonly<Record<string, unknown>>;
/** A position in the matrix of a dispatcher. */
type MatrixPosition = readonly [dispatcher: string, partition: number, row: number];

/** Service-OUT reason of instances that a rolling update has taken out of service. */
export const OUT_OF_SERVICE = "rolling update";

export function isOutOfService(status: StatusObject): boolean {
  return status["service-in"] !== 1 && status["service-out-reason"] === OUT_OF_SERVICE;
}

/** @throws SvcError SVC2701 without a response */
export async function fetchNodestat(context: AdminContext, id: string): Promise<StatusObject> {
  const request = { path: "/svc/nodestat", timeoutMs: REQUEST_TIMEOUT_MS };
  const status = await requestInstance(context.address(id), request);
  return isPlainObject(status) ? status : {};
}

/**
 * Returns an identifier of the process of an instance. In a container, each process has pid 1.
 * @throws SvcError SVC2701 without a response
 */
export async function fetchProcess(context: AdminContext, id: string): Promise<string> {
  const response = await requestInstance(context.address(id), {
    path: "/svc/time",
    timeoutMs: REQUEST_TIMEOUT_MS,
  });
  const { time } = (isPlainObject(response) ? response : {}) as StatusObject;
  const { start } = (isPlainObject(time) ? time : {}) as StatusObject;
  const { pid } = await fetchNodestat(context, id);
  return `${pid} since ${start}`;
}

/** State of the group of an instance. */
export interface GroupStatus {
  /** Null: the instance belongs to no group. */
  readonly group: string | null;
  readonly leader: string | null;
  readonly isLeading: boolean;
  /** Members that could take over. */
  readonly synced: readonly string[];
  readonly isEngineDown: boolean;
}

export function readGroup(status: StatusObject): GroupStatus {
  const { group, leader, role, synced, isEngineDown } = (
    isPlainObject(status.group) ? status.group : {}
  ) as StatusObject;
  const ids = Array.isArray(synced) ? synced.filter((id) => typeof id === "string") : [];
  const asName = (value: unknown) => (typeof value === "string" ? value : null);
  const isLeading = role === "leading" || role === "readonly";
  const names = { group: asName(group), leader: asName(leader), synced: ids };
  return { ...names, isLeading, isEngineDown: isEngineDown === true };
}

export function findReplicaSlots({ system }: AdminContext, id: string): MatrixPosition[] {
  return [...system.matrices].flatMap(([dispatcher, { partitions }]) =>
    partitions.flatMap((replicas, partition) =>
      replicas.flatMap((other, row) => {
        return other === id ? [[dispatcher, partition, row] as const] : [];
      }),
    ),
  );
}

export function stopError(text: string): SvcError {
  return new SvcError("SVC3119", text);
}

// Commits the mutations of several graphs atomically, even if the thread dies in between.
//
//   1  prepare   each: log records complete, `IsJoint` set
//   2  decide    each: `CommittedCount` set; the first one makes all final
//   3  publish   each: records and changes become visible
//   4  finish    each: `CommittedCount` and `IsJoint` cleared
//
// If the thread dies, the main thread recovers all graphs whose mutex it held: if any of them has a
// `CommittedCount`, all are completed, else all are rolled back. The log thread reads the rings
// while no joint publication is under way, so it sees all records of a joint commit or none; their
// common ticket keeps them together in one frame.

import { CapacityError } from "../model/errors.js";
import { withJointTicket } from "./commit-ring.js";
import { Header } from "./layout.js";
import type { Writer } from "./writer.js";

/** Maximum log words of a joint commit, so that it fits in a ring with unread transactions. */
const MAX_WORDS = 2 ** 20;

/**
 * Commits mutations that this thread has begun; the mutexes stay locked.
 * @param maxWords maximum words of log records
 * @throws ConstraintError, CapacityError: the caller must roll back all mutations
 */
export function commitTogether(writers: readonly Writer[], maxWords = MAX_WORDS): void {
  const words = writers.reduce((sum, writer) => sum + writer.loggedWords, 0);
  if (words > maxWords) throw new CapacityError("transaction exceeds the 4 MiB log buffer");
  const clock = writers.find(({ memory }) => memory.log !== null)?.memory.log?.clock ?? null;
  for (const { commitCheck } of writers) commitCheck?.check();
  const prepareAll = (): void => {
    for (const writer of writers) prepare(writer);
  };
  // Nothing fails from here on.
  if (clock === null) prepareAll();
  else withJointTicket(clock.nextTicket(), prepareAll);
  const { thread } = writers[0]!;
  clock?.setPublishing(thread, true);
  for (const step of JOINT_STEPS.slice(1)) for (const writer of writers) step(writer);
  clock?.setPublishing(thread, false);
}

/** Parts of the commit, each done for all graphs before the next one. */
export const JOINT_STEPS: readonly ((writer: Writer) => void)[] = [
  prepare,
  (writer) => writer.decideCommit(),
  (writer) => writer.publishCommit(),
  finish,
];

function prepare(writer: Writer): void {
  writer.prepareCommit();
  writer.memory.header.words[Header.IsJoint] = 1;
}

function finish(writer: Writer): void {
  writer.finishCommit();
  writer.memory.header.words[Header.IsJoint] = 0;
}

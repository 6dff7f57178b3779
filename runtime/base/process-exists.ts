// Checks whether a process exists, to find files that a killed one has left behind. Process ids are
// reused: callers that must not confuse processes compare more than the id.

/** Returns true if unsure, because files of a running process must not be removed. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

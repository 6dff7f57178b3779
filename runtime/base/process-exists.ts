// Whether a process is there, for what a killed one has left behind. Ids are reused: where that
// matters, the caller compares more.

/** Returns true in doubt: keeping files does less harm than removing those of a running process. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

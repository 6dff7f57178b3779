// The connections of a thread that have output to write before the turn of the event loop ends.
// Both ports and the warm-up share the list, because V8 compiles code for arrays that it has seen.

/** A connection in the list. */
export interface ScheduledTurn {
  /** True while it is in the list. */
  isScheduled: boolean;
  turn(): void;
}

let scheduled: ScheduledTurn[] = [];
let inTurn: ScheduledTurn[] = [];

/** Calls `turn` of a connection that is not scheduled, before this loop turn ends. */
export function scheduleTurn(connection: ScheduledTurn): void {
  connection.isScheduled = true;
  if (scheduled.push(connection) === 1) process.nextTick(takeTurns);
}

/** Swaps two arrays, so that no turn of the event loop allocates one. */
function takeTurns(): void {
  const connections = scheduled;
  scheduled = inTurn;
  inTurn = connections;
  let next = 0;
  try {
    while (next < connections.length) {
      const connection = connections[next++]!;
      connection.isScheduled = false;
      connection.turn();
    }
  } finally {
    // After an exception in one connection, the others still get their turn.
    for (; next < connections.length; next++) scheduleTurn(connections[next]!);
    while (connections.length > 0) connections.pop();
  }
}

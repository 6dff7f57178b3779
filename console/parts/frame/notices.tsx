// Notices about problems with the connection to the server.

import {
  connectionError,
  isOutdated,
  lastResponseAt,
  restartedAt,
} from "../../data/server-connection.js";
import { clipForDisplay, clockTime } from "../../data/text.js";
import { Note } from "../note.js";

export function Notices() {
  return (
    <div class="stack" aria-live="polite">
      {connectionError.value !== null && (
        <Note id="trouble">
          {clipForDisplay(connectionError.value)}.{" "}
          {lastResponseAt.value > 0 && `Data as of ${clockTime(lastResponseAt.value)}.`} Retrying.
        </Note>
      )}
      {restartedAt.value !== null && (
        <Note isError={false}>The server restarted at {clockTime(restartedAt.value)}.</Note>
      )}
      {isOutdated.value && (
        <Note isError={false}>
          The server was updated: <a href={location.href}>reload the console</a>.
        </Note>
      )}
    </div>
  );
}

// The page's connection to its server: all polls share it, so that an unreachable, restarted or
// updated server is reported once for all pages.

import { computed, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { fetchValue, RejectedError } from "./client.js";
import { textAt } from "./node-stat.js";
import { startPoll } from "./poll.js";
import { isHeld } from "./range.js";

/** Error of the last request, by source. */
const failures = signal<ReadonlyMap<string, string>>(new Map());
/** Current problem; null while the server responds. */
export const connectionError = computed(() => failures.value.values().next().value ?? null);
/** Time of the last response, milliseconds since 1970. */
export const lastResponseAt = signal(0);
/** Time at which a restart was noticed; null before one. */
export const restartedAt = signal<number | null>(null);
/** Of the server, such as `svc 1.2.3 [Node v22.1.0]`; empty before it is known. */
export const serverVersion = signal("");
/** The server is of another version than this page. */
export const isOutdated = signal(false);

const TIMERS = {
  now: () => performance.now(),
  set: (run: () => void, ms: number) => setTimeout(run, ms),
  clear: (timer: unknown) => clearTimeout(timer as number),
};
const MAX_WAIT_MS = 10_000;
/** With a poll per second, an outage shows within three seconds. */
const LATE_MS = 2000;
let label = "";

/**
 * Returns the newest response of a service: null before the first.
 * @param path a new path polls again; a stable function may return different paths
 * @param onAnswer receives each response
 * @param early a response that is requested already; null: none
 */
export function useLive(
  path: string | (() => string),
  everyMs: number,
  onAnswer: (value: unknown, isGap: boolean) => void = () => {},
  early: () => Promise<unknown> | null = () => null,
): unknown {
  const [value, setValue] = useState<unknown>(null);
  useEffect(() => {
    let isOver = false;
    const source = typeof path === "string" ? path : path();
    const end = startPoll(
      {
        everyMs,
        isHidden: () => document.hidden || isHeld.value,
        ask: async () => {
          let isWaiting = true;
          AbortSignal.timeout(LATE_MS).onabort = () => {
            if (isWaiting && !isOver) setFailure(source, `No response for ${LATE_MS / 1000} s`);
          };
          const request = (): Promise<unknown> =>
            fetchValue(typeof path === "string" ? path : path(), {
              signal: AbortSignal.timeout(MAX_WAIT_MS),
            });
          const answer = await (early() ?? request()).finally(() => {
            isWaiting = false;
          });
          if (isOver) return;
          setFailure(source, null);
          answered(answer);
          onAnswer(answer, false);
          setValue(answer);
        },
        failed: (error) => {
          setFailure(source, describeFailure(error));
          onAnswer(null, true);
        },
      },
      TIMERS,
    );
    return () => {
      isOver = true;
      end();
      setFailure(source, null);
    };
  }, [path, everyMs]);
  return value;
}

function setFailure(source: string, failure: string | null): void {
  if ((failures.value.get(source) ?? null) === failure) return;
  const next = new Map(failures.value);
  if (failure === null) next.delete(source);
  else next.set(source, failure);
  failures.value = next;
}

function describeFailure(error: unknown): string {
  const { message } = error as Error;
  return error instanceof RejectedError ? `Refused: ${message}` : `No response: ${message}`;
}

function answered(answer: unknown): void {
  lastResponseAt.value = Date.now();
  const now = textAt(answer, "service-label");
  if (now === "" || now === label) return;
  if (label !== "") restartedAt.value = Date.now();
  label = now;
  void checkVersion();
}

/** Compares the version of the server, which can change only with a restart. */
export async function checkVersion(): Promise<void> {
  try {
    const now = textAt(await fetchValue("svc/ping"), "host", "version");
    if (serverVersion.value !== "" && now !== serverVersion.value) isOutdated.value = true;
    serverVersion.value ||= now;
  } catch {
    // The next poll reports the problem.
  }
}

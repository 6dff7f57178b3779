// State of the unlocked admin page: the token of the next operation, the key, and the outcomes of
// past operations. Operations on several instances run one after the other.

import { useEffect, useRef, useState } from "preact/hooks";
import {
  type Args,
  type Call,
  forwardedCall,
  operate,
  operationResult,
  requestToken,
  type Token,
} from "./admin.js";
import { numberAt } from "./node-stat.js";
import type { Operation, Target } from "./operations.js";

const MAX_DONE = 50;
/** A server that restarts its ports responds again within this time. */
const RESTART_MS = 15_000;
const AGAIN_MS = 300;

export interface ActionResult {
  readonly at: number;
  readonly operation: string;
  readonly isDone: boolean;
  readonly text: string;
}

export interface AdminActions {
  /** Seconds for which it stays unlocked; null while it is locked. */
  readonly leftS: number | null;
  readonly isArmed: boolean;
  /** True while operations run, or the next token is requested. */
  readonly isBusy: boolean;
  /** Outcomes, newest first. */
  readonly done: readonly ActionResult[];
  unlock(): Promise<void>;
  lock(): void;
  /** Sets the key for instances on other machines. */
  setKey(key: string): void;
  /** Runs an operation on this instance, unlocking if necessary; resolves when it is shown. */
  run(call: Call): Promise<void>;
  /** Runs an operation on each target; resolves when all outcomes are shown. */
  runOn(operation: Operation, targets: readonly Target[], args: Args): Promise<void>;
}

export function useAdminActions(): AdminActions {
  const key = useRef("");
  const { held, token, hold } = useToken();
  const [isBusy, setBusy] = useState(false);
  const { done, tell: report } = useOutcomes();
  const leftS = useSecondsLeft(token, () => hold(null));
  /** Requests and stores the next token, unless the page was locked or unlocked meanwhile. */
  const unlock = async (used: Token | null = null): Promise<void> => {
    const isWanted = (): boolean => held.current === used;
    try {
      const next = await requestNext(key.current, used === null ? null : isWanted);
      if (isWanted()) hold(next);
    } catch (error) {
      hold(null);
      report("Unlock", false, (error as Error).message);
    }
  };
  const runOne = async (call: Call, title: string, isTwice: boolean): Promise<boolean> => {
    const { current: first } = held;
    if (first === null) return false;
    let isDone = false;
    try {
      const used = isTwice ? await requestToken(key.current) : first;
      const args = isTwice ? { ...call.args, authshutdown: first.text } : call.args;
      const outcome = operationResult(await operate({ ...call, args }, used, key.current));
      ({ isDone } = outcome);
      report(title, isDone, outcome.text);
    } catch (error) {
      report(title, false, `no response: ${(error as Error).message}`);
    }
    if (isTwice && isDone) hold(null);
    else await unlock(first);
    return isDone;
  };
  const whileBusy = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  const onEach = async (operation: Operation, targets: readonly Target[], args: Args) => {
    const all = inOrder(targets);
    for (const target of all) {
      const isTwice = operation.isTwice === true && target.id === null;
      const call = callOf(operation, target, args);
      const isDone = await runOne(call, titleOf(operation, target), isTwice);
      if (isDone || !operation.movesData || target === all.at(-1)) continue;
      return report(operation.operation, false, "Remaining instances were not changed.");
    }
  };
  return {
    leftS,
    isArmed: token !== null && !isBusy,
    isBusy,
    done,
    unlock: () => unlock(),
    lock: () => hold(null),
    setKey: (text) => {
      key.current = text;
    },
    run: (call) =>
      whileBusy(async () => {
        if (held.current === null) await unlock();
        await runOne(call, call.operation, false);
      }),
    runOn: (...args) => whileBusy(() => onEach(...args)),
  };
}

function useToken() {
  // The next operation uses this token, even if the page has not been rendered with it yet.
  const held = useRef<Token | null>(null);
  const [token, showToken] = useState<Token | null>(null);
  const hold = (next: Token | null): void => {
    held.current = next;
    showToken(next);
  };
  return { held, token, hold };
}

/**
 * Returns a token; null once it is no longer wanted.
 * @param isWanted null: fails at once if the server does not respond
 * @throws Error
 */
async function requestNext(key: string, isWanted: (() => boolean) | null): Promise<Token | null> {
  const end = Date.now() + RESTART_MS;
  while (isWanted?.() ?? true) {
    try {
      return await requestToken(key);
    } catch (error) {
      if (isWanted === null || Date.now() > end) throw error;
      await new Promise((resume) => setTimeout(resume, AGAIN_MS));
    }
  }
  return null;
}

function useOutcomes() {
  const [done, setDone] = useState<readonly ActionResult[]>([]);
  const report = (operation: string, isDone: boolean, text: string): void => {
    const entry = { at: Date.now(), operation, isDone, text };
    setDone((old) => [entry, ...old].slice(0, MAX_DONE));
  };
  return { done, tell: report };
}

/** Puts this instance last: if an operation stops it, the others are no longer reachable. */
function inOrder(targets: readonly Target[]): readonly Target[] {
  return [...targets].sort((a, b) => Number(a.id === null) - Number(b.id === null));
}

function titleOf({ operation }: Operation, { id }: Target): string {
  return id === null ? operation : `${operation} at ${id}`;
}

function callOf({ operation, atProvider }: Operation, target: Target, args: Args): Call {
  const { id, node, host, provider } = target;
  if (atProvider !== undefined && provider !== null) {
    const uri = `svc://${host}:${numberAt(node, "txport")}`;
    return forwardedCall({ operation: atProvider, args: { uri }, body: null }, provider);
  }
  const call = { operation, args, body: null };
  return id === null ? call : forwardedCall(call, id);
}

/** Returns the seconds until the page locks, null while locked; calls `onOver` at that time. */
function useSecondsLeft(token: Token | null, onOver: () => void): number | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (token === null) return;
    setNow(Date.now());
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= token.endsAt) onOver();
    }, 1000);
    return () => clearInterval(timer);
  }, [token]);
  return token === null ? null : Math.max(0, Math.round((token.endsAt - now) / 1000));
}

// Operations on this instance. Locked until somebody asks for a token, which is good for one of
// them, for 300 seconds; then the next one is asked for, and the time goes on.

import { useEffect, useRef, useState } from "preact/hooks";
import { askToken, type Desk, operate, outcomeOf, type Token } from "../data/admin.js";
import { useLive } from "../data/live.js";
import { OPERATIONS, type Operation } from "../data/operations.js";
import { shown } from "../data/text.js";
import { ConfirmDialog } from "../parts/confirm.js";
import { Commands, Descriptor, OtherInstances } from "./admin-texts.js";

const EVERY_MS = 1000;
const MAX_DONE = 50;

interface Done {
  readonly at: number;
  readonly operation: string;
  readonly isDone: boolean;
  readonly text: string;
}

export function Administration() {
  const node = useLive("svc/nodestat", EVERY_MS);
  const key = useRef("");
  const [token, setToken] = useState<Token | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<readonly Done[]>([]);
  const [asked, setAsked] = useState<Operation | null>(null);
  const leftS = useSecondsLeft(token, () => setToken(null));
  const tell = (operation: string, isDone: boolean, text: string): void => {
    const entry = { at: Date.now(), operation, isDone, text };
    setDone((old) => [entry, ...old].slice(0, MAX_DONE));
  };
  const unlock = async (): Promise<void> => {
    try {
      setToken(await askToken(key.current));
    } catch (error) {
      setToken(null);
      tell("Unlock", false, (error as Error).message);
    }
  };
  const run: Desk["run"] = async (operation, args, body, isTwice = false) => {
    if (token === null) return;
    setBusy(true);
    try {
      const first = token.text;
      const used = isTwice ? await askToken(key.current) : token;
      const all = isTwice ? { ...args, authshutdown: first } : args;
      const outcome = outcomeOf(await operate({ operation, args: all, body }, used, key.current));
      tell(operation, outcome.isDone, outcome.text);
    } catch (error) {
      tell(operation, false, `no answer: ${(error as Error).message}`);
    }
    if (!isTwice) await unlock();
    else setToken(null);
    setBusy(false);
  };
  const desk = { isArmed: token !== null && !isBusy, run };
  const start = (operation: Operation): void => {
    if (operation.confirm === "none" && operation.args === undefined) {
      void run(operation.operation, {}, null);
    } else setAsked(operation);
  };
  return (
    <>
      <Lock leftS={leftS} keyHeld={key} onUnlock={unlock} onLock={() => setToken(null)} />
      <Groups node={node} desk={desk} onStart={start} />
      <Outcomes done={done} />
      <Commands desk={desk} />
      <Descriptor desk={desk} />
      <OtherInstances />
      {asked !== null && (
        <ConfirmDialog
          operation={asked}
          word={typeof asked.confirm === "function" ? asked.confirm(node) : null}
          onCancel={() => setAsked(null)}
          onDone={(args) => {
            setAsked(null);
            void run(asked.operation, args, null, asked.isTwice);
          }}
        />
      )}
    </>
  );
}

/** Null while it is locked; `onOver` is called when the time is. */
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

interface LockProps {
  readonly leftS: number | null;
  readonly keyHeld: { current: string };
  readonly onUnlock: () => Promise<void>;
  readonly onLock: () => void;
}

function Lock({ leftS, keyHeld, onUnlock, onLock }: LockProps) {
  return (
    <form
      class="card row"
      onSubmit={(event) => {
        event.preventDefault();
        if (leftS === null) void onUnlock();
        else onLock();
      }}
    >
      <button class="main" type="submit">
        {leftS === null ? "Unlock" : "Lock"}
      </button>
      <span>{leftS === null ? "Locked: nothing can be done." : `Unlocked for ${leftS} s`}</span>
      <label>
        Key, from another machine{" "}
        <input
          id="admin-key"
          type="password"
          autocomplete="off"
          onInput={(event) => {
            keyHeld.current = event.currentTarget.value;
          }}
        />
      </label>
    </form>
  );
}

interface GroupsProps {
  readonly node: unknown;
  readonly desk: Desk;
  readonly onStart: (operation: Operation) => void;
}

function Groups({ node, desk, onStart }: GroupsProps) {
  return (
    <div class="cards">
      {OPERATIONS.map(([group, operations]) => (
        <section class="card" key={group}>
          <h2>{group}</h2>
          <div class="row">
            {operations
              .filter(({ isFor }) => isFor === undefined || isFor(node))
              .map((operation) => (
                <button
                  key={operation.operation}
                  type="button"
                  title={operation.effect}
                  disabled={!desk.isArmed || node === null}
                  onClick={() => onStart(operation)}
                >
                  {operation.title}
                </button>
              ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function Outcomes({ done }: { readonly done: readonly Done[] }) {
  return (
    <section class="card" aria-live="polite">
      <h2>What was done</h2>
      {done.length === 0 && <p class="quiet">Nothing yet.</p>}
      <ul class="names">
        {done.map(({ at, operation, isDone, text }, index) => (
          <li key={done.length - index}>
            <span class="quiet">{new Date(at).toLocaleTimeString()}</span>{" "}
            <span class={isDone ? "good" : "bad"}>
              {isDone ? "done" : "failed"}: {operation}
            </span>{" "}
            {shown(text, 2000)}
          </li>
        ))}
      </ul>
    </section>
  );
}

// Tries one plugin: its description, form, response, and the call as code. Input is kept in the
// address unless it is long; nothing runs by itself.

import { useRef, useState } from "preact/hooks";
import type { PluginSpec } from "../../argspec/argspec.js";
import { callText, LANGUAGES } from "../data/call-snippets.js";
import { callToken, tokenFields } from "../data/call-token.js";
import { callServer, type Reply } from "../data/client.js";
import {
  buildFormFields,
  buildRequest,
  findFieldError,
  type PluginRequest,
  parseFieldValue,
} from "../data/form.js";
import { clipForDisplay } from "../data/text.js";
import { FieldInput } from "../parts/field.js";
import { Note } from "../parts/note.js";
import { ResponseView } from "../parts/response-view.js";
import { TextBlock } from "../parts/text-block.js";
import { currentRoute, saveState, saveStatePart } from "../router.js";

/** Parameters in the address begin with this. */
const MARK = "v.";
const MAX_IN_ADDRESS = 500;
const MAX_BODY_IN_ADDRESS = 8000;
/** Other state in the address. */
const KEPT = ["via", "search", "as"];
/** Sends the request through the matrix with an explanation. */
const THROUGH_MATRIX = { "x-svc-console": "matrix", "x-svc-explain": "1" };

function typedBefore(plugin: PluginSpec): Map<string, string> {
  const params = [...currentRoute.value.params].filter(([name]) => name.startsWith(MARK));
  const typed = new Map(params.map(([name, text]) => [name.slice(MARK.length), text]));
  const content = buildFormFields(plugin).find(({ kind }) => kind === "body");
  return content === undefined ? typed : typed.set(content.name, currentRoute.value.body);
}

function isThroughMatrix(): boolean {
  return currentRoute.value.params.get("via") === "matrix";
}

function remember(plugin: PluginSpec, values: ReadonlyMap<string, string>): void {
  const params = new URLSearchParams({ name: plugin.name });
  for (const part of KEPT) {
    const text = currentRoute.value.params.get(part);
    if (text !== null) params.set(part, text);
  }
  let body = "";
  for (const { name, kind } of buildFormFields(plugin)) {
    const text = values.get(name) ?? "";
    if (kind === "body") body = text.length <= MAX_BODY_IN_ADDRESS ? text : "";
    else if (text !== "" && text.length <= MAX_IN_ADDRESS) params.set(MARK + name, text);
  }
  saveState(params, body);
}

interface TryPluginProps {
  readonly plugin: PluginSpec;
  /** Where it can run: in this instance, through its matrix. */
  readonly ways: "here" | "matrix" | "both";
  /** It takes a token. */
  readonly isAuthenticated: boolean;
}

export function TryPlugin({ plugin, ways, isAuthenticated }: TryPluginProps) {
  const isThere = ways === "matrix" || (ways === "both" && isThroughMatrix());
  const [values, setValues] = useState(() => typedBefore(plugin));
  const [reply, setReply] = useState<Reply | null>(null);
  const [failure, setFailure] = useState("");
  const running = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const fields = buildFormFields(plugin);
  const request = buildRequest(plugin, values);
  const change = (next: Map<string, string>): void => {
    setValues(next);
    remember(plugin, next);
  };
  const mistakes = fields.map((field) => findFieldError(field, values.get(field.name) ?? ""));
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (running.current !== null) return running.current.abort();
    const control = new AbortController();
    running.current = control;
    setRunning(true);
    setFailure("");
    try {
      setReply(
        await callServer(request.path, { ...asQuestion(request, isThere), signal: control.signal }),
      );
    } catch (error) {
      setReply(null);
      setFailure(control.signal.aborted ? "canceled" : (error as Error).message);
    }
    running.current = null;
    setRunning(false);
  };
  return (
    <div>
      <form class="card" onSubmit={run}>
        <h2>{clipForDisplay(plugin.name)}</h2>
        <p>{clipForDisplay(plugin.description, 2000)}</p>
        {!plugin.readonly && <p class="warn">▲ Not @readonly: may change data.</p>}
        {plugin.deprecated && (
          <p class="warn">▲ Deprecated. {clipForDisplay(plugin.deprecation ?? "")}</p>
        )}
        {fields.map((field, index) => (
          <FieldInput
            key={field.name}
            field={field}
            text={values.get(field.name) ?? ""}
            mistake={mistakes[index] ?? null}
            onText={(text) => change(new Map(values).set(field.name, text))}
          />
        ))}
        {isAuthenticated && <SignIn />}
        {ways === "both" && <Way isThere={isThere} />}
        {ways === "matrix" && <p class="soft">Runs in back-ends, through the matrix.</p>}
        <div class="row">
          <button
            class="btn main"
            type="submit"
            disabled={!isRunning && mistakes.some((mistake) => mistake !== null)}
          >
            {isRunning ? "Stop waiting" : "Try"}
          </button>
          <Examples plugin={plugin} onPick={change} />
        </div>
      </form>
      <NoAnswer failure={failure} />
      {reply !== null && <ResponseView reply={reply} />}
      <Call request={request} />
    </div>
  );
}

function NoAnswer({ failure }: { readonly failure: string }) {
  if (failure === "") return null;
  return <Note isAlert>No answer: {clipForDisplay(failure)}</Note>;
}

function asQuestion({ method, body }: PluginRequest, isThere: boolean) {
  const headers = { ...(isThere ? THROUGH_MATRIX : {}), ...tokenFields() };
  return body === null ? { method, headers } : { method, headers, body };
}

function SignIn() {
  return (
    <div class="field">
      <label for="call-token">Token</label>
      <input
        id="call-token"
        type="password"
        autocomplete="off"
        value={callToken.value}
        onInput={(event) => {
          callToken.value = event.currentTarget.value;
        }}
      />
      <p class="soft">For `request.principal`. This tab forgets it when it is closed.</p>
    </div>
  );
}

function Way({ isThere }: { readonly isThere: boolean }) {
  const ways = [
    ["here", "here", !isThere],
    ["matrix", "dispatched, with explain", isThere],
  ] as const;
  return (
    <fieldset class="row">
      <legend class="soft">Run it</legend>
      {ways.map(([way, title, isChosen]) => (
        <label key={way}>
          <input
            type="radio"
            name="way"
            id={`way-${way}`}
            checked={isChosen}
            onChange={() => saveStatePart("via", way === "here" ? "" : way)}
          />{" "}
          {title}
        </label>
      ))}
    </fieldset>
  );
}

interface ExamplesProps {
  readonly plugin: PluginSpec;
  readonly onPick: (values: Map<string, string>) => void;
}

function Examples({ plugin, onPick }: ExamplesProps) {
  const queries = plugin.examples.flatMap((example) => ("query" in example ? [example.query] : []));
  return queries.map((query, index) => {
    const values = Object.entries(query).map(
      ([name, value]) => [name, parseFieldValue(value)] as const,
    );
    if (values.length === 0) return null;
    const text = values.map(([name, value]) => `${name}=${value}`).join(" ");
    return (
      <button key={index} type="button" class="btn" onClick={() => onPick(new Map(values))}>
        {clipForDisplay(text, 60)}
      </button>
    );
  });
}

/** The main port precedes the admin port, unless a proxy is in between. */
function originOfCalls(): string {
  const { protocol, hostname, port, origin, pathname } = location;
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  const own = port === "" ? origin : `${protocol}//${hostname}:${Number(port) - 1}`;
  return own + prefix;
}

function Call({ request }: { readonly request: PluginRequest }) {
  const language = LANGUAGES.find((one) => one === currentRoute.value.params.get("as")) ?? "curl";
  const text = callText(language, originOfCalls(), request);
  return (
    <section class="card">
      <h2>The call</h2>
      <fieldset class="row">
        <legend class="soft">on the main port, in</legend>
        {LANGUAGES.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="language"
              checked={name === language}
              onChange={() => saveStatePart("as", name)}
            />{" "}
            {name}
          </label>
        ))}
        <button type="button" class="btn" onClick={() => void navigator.clipboard?.writeText(text)}>
          Copy
        </button>
      </fieldset>
      <TextBlock label={`${language} snippet`} text={text} />
    </section>
  );
}

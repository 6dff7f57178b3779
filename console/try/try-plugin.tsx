// Page that calls a plugin: description, form, response, and the call as code. The address contains
// the input unless it is long. A call runs only on request.

import { useState } from "preact/hooks";
import type { PluginSpec } from "../../argspec/argspec.js";
import { buildFormFields, buildRequest, type Files, type Values } from "../data/form.js";
import { rememberEntry } from "../data/history.js";
import { clipForDisplay, milliseconds, rate } from "../data/text.js";
import { addLists, type PluginWindow, percentile, sum, sumErrors } from "../data/windows.js";
import { useHistory } from "../parts/history-list.js";
import { Icon } from "../parts/icon.js";
import { Note } from "../parts/note.js";
import { PageLink } from "../parts/page-link.js";
import { ResponseView } from "../parts/response-view.js";
import { currentRoute, saveState } from "../router.js";
import { type Access, AccessTags, readAccess } from "./access.js";
import { CallCode } from "./call-code.js";
import { CallForm, type Way } from "./call-form.js";
import { StreamView } from "./stream-view.js";
import { useCall } from "./use-call.js";

/** Prefix of the plugin's parameters in the address. */
const MARK = "v.";
const MAX_IN_ADDRESS = 500;
const MAX_BODY_IN_ADDRESS = 8000;
/** Other state in the address. */
const KEPT = ["via", "search", "as"];

function typedBefore(plugin: PluginSpec): Map<string, string> {
  const params = [...currentRoute.value.params].filter(([name]) => name.startsWith(MARK));
  const typed = new Map(params.map(([name, text]) => [name.slice(MARK.length), text]));
  const content = buildFormFields(plugin).find(({ kind }) => kind === "body");
  return content === undefined ? typed : typed.set(content.name, currentRoute.value.body);
}

function remember(plugin: PluginSpec, values: Values): void {
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
  /** Whether it can run in this instance, and through its matrix. */
  readonly ways: Way;
  /** The server requires a principal. */
  readonly isAuthenticated: boolean;
  /** Its requests in the last minutes; undefined if there were none. */
  readonly window: PluginWindow | undefined;
  readonly windows: { readonly boundsMs: readonly number[]; readonly seconds: number };
}

export function TryPlugin({ plugin, ways, isAuthenticated, window, windows }: TryPluginProps) {
  const [values, setValues] = useState<Values>(() => typedBefore(plugin));
  const [files, setFiles] = useState<Files>(new Map());
  const call = useCall();
  const history = useHistory("call", plugin.name);
  const isThere =
    ways === "matrix" || (ways === "both" && currentRoute.value.params.get("via") === "matrix");
  const request = buildRequest(plugin, values, files);
  const access = readAccess(plugin, isAuthenticated);
  const isStream = plugin.result.kind === "stream";
  const change = (next: Values): void => {
    setValues(next);
    remember(plugin, next);
  };
  const store = async (isSaved: boolean): Promise<void> => {
    const title = [...values].filter(([, text]) => text !== "");
    await rememberEntry({
      ...{ kind: "call", subject: plugin.name, at: Date.now(), isSaved },
      title: title.map(([name, text]) => `${name}=${text}`).join(" "),
      address: `plugin${location.search}${location.hash}`,
    });
    history.reload();
  };
  const run = (): void => {
    void store(false);
    void call.run(request, isThere, isStream);
  };
  const { deprecated, deprecation = "", description } = plugin;
  return (
    <div class="stack">
      <PageLink to="plugin" className="phone">
        All plugins
      </PageLink>
      <Head {...{ plugin, access, window, windows }} />
      <p class="soft">{clipForDisplay(description, 2000)}</p>
      {deprecated && <Note isError={false}>Deprecated. {clipForDisplay(deprecation)}</Note>}
      <div class="call">
        <CallForm
          {...{ plugin, values, files, access, ways, isThere, call, history }}
          onValues={change}
          onFiles={setFiles}
          onRun={run}
          onSave={() => void store(true)}
          onRestore={() => change(typedBefore(plugin))}
        />
        <div class="stack">
          {call.failure !== "" && <Note isAlert>No response: {clipForDisplay(call.failure)}</Note>}
          {call.stream !== null && <StreamView stream={call.stream} onStop={call.stop} />}
          {call.reply !== null && <ResponseView key={call.at} reply={call.reply} at={call.at} />}
          {call.reply === null && call.stream === null && call.failure === "" && (
            <section class="card empty">
              <p class="soft">
                {call.isRunning
                  ? "Waiting for the response…"
                  : "No response yet. Run the plugin to see its response here."}
              </p>
            </section>
          )}
        </div>
      </div>
      <CallCode plugin={plugin.name} request={request} />
    </div>
  );
}

type HeadProps = Pick<TryPluginProps, "plugin" | "window" | "windows"> & {
  readonly access: Access;
};

function Head({ plugin, access, window, windows }: HeadProps) {
  const { name, readonly, result, graph, source } = plugin;
  return (
    <div class="head">
      <h1>{clipForDisplay(name, 60)}</h1>
      <span class={readonly ? "tag" : "tag warn"}>
        <Icon name={readonly ? "eye" : "warn"} />
        {readonly ? "read only" : "changes data"}
      </span>
      {result.kind === "stream" && <span class="tag">stream</span>}
      {result.kind === "http" && (
        <span class="tag">
          {clipForDisplay(result.mediaTypes.join(", ") || "any media type", 60)}
        </span>
      )}
      {graph !== null && (
        <span class="tag">
          <Icon name="graph" />
          {clipForDisplay(graph, 40)}
        </span>
      )}
      <AccessTags access={access} />
      <span class="end soft s tn">
        <Figures window={window} windows={windows} />
        {source !== null && (
          <span class="mono">
            {clipForDisplay(source.file, 60)}:{source.line}
          </span>
        )}
      </span>
    </div>
  );
}

type FiguresProps = Pick<TryPluginProps, "window" | "windows">;

function Figures({ window, windows: { boundsMs, seconds } }: FiguresProps) {
  const calls = window === undefined ? 0 : sum(window.counts);
  if (window === undefined || calls === 0) return <>no calls in 5 min{"  "}</>;
  const p95 = percentile(addLists(window.buckets), boundsMs, 95);
  return (
    <>
      {rate(calls / Math.max(1, seconds))} /s{"  "}
      {p95 !== null && `p95 ${milliseconds(p95)}  `}
      {sumErrors(window)} errors{"  "}
    </>
  );
}

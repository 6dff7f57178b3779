// A response in tabs: as table, picture or text; as sent; its header fields; a breakdown of its
// time.

import { useState } from "preact/hooks";
import { errorMessage, type Reply } from "../data/client.js";
import { downloadFile } from "../data/download.js";
import { buildWaterfall, type Waterfall } from "../data/explanation.js";
import { bytes, clipForDisplay, clockTime, milliseconds } from "../data/text.js";
import { AnswerTable, type LinkOf, readRows } from "./answer-table.js";
import { Badge } from "./badge.js";
import { Code } from "./code.js";
import { CopyButton } from "./copy-button.js";
import { Icon } from "./icon.js";
import { Picture } from "./picture.js";
import { Tabs } from "./tabs.js";
import { WaterfallRows } from "./waterfall.js";

const MAX_TEXT = 20_000;
/** Reason phrases of frequent statuses. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  ...{ 200: "OK", 201: "Created", 204: "No Content", 304: "Not Modified" },
  ...{ 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" },
  ...{ 405: "Method Not Allowed", 409: "Conflict", 413: "Payload Too Large" },
  ...{ 415: "Unsupported Media Type", 429: "Too Many Requests", 500: "Internal Server Error" },
  ...{ 503: "Service Unavailable", 504: "Gateway Timeout", 507: "Insufficient Storage" },
};

type View = "answer" | "json" | "headers" | "time";

interface ResponseViewProps {
  readonly reply: Reply;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Returns the address of the page about a value in a column, or null. */
  readonly linkOf?: LinkOf | undefined;
}

export function ResponseView({ reply, at, linkOf }: ResponseViewProps) {
  const [view, setView] = useState<View>("answer");
  const { value, text, mediaType, body, headers } = reply;
  const rows = readRows(value);
  const pretty = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <section class="card" aria-label="Response">
      <Tabs
        label="Views of the response"
        chosen={view}
        onChoose={setView}
        tabs={[
          { name: "answer", title: "Answer", count: rows === null ? undefined : `${rows.length}` },
          { name: "json", title: body === null ? "JSON" : "Body" },
          { name: "headers", title: "Headers", count: `${headers.length}` },
          { name: "time", title: "Time" },
        ]}
        end={
          <>
            {body === null && <CopyButton text={pretty} what="response" />}
            <button
              type="button"
              class="btn icon bare"
              aria-label="Download"
              title="Download"
              onClick={() => downloadFile(body ?? text, fileName(mediaType))}
            >
              <Icon name="get" />
            </button>
          </>
        }
      >
        <Summary reply={reply} at={at} />
        {view === "answer" && <Answer {...{ reply, pretty, rows, linkOf }} />}
        {view === "json" &&
          (body === null ? <Text text={pretty} /> : <Picture body={body} isPlain />)}
        {view === "headers" && <Headers headers={headers} />}
        {view === "time" && <WaterfallRows waterfall={createWaterfall(reply)} />}
      </Tabs>
    </section>
  );
}

function Summary({ reply, at }: ResponseViewProps) {
  const { status, ok, execMs, totalMs, text, mediaType, body } = reply;
  const word = `${status} ${STATUS_WORDS[status] ?? ""}`.trim();
  const server = execMs === null ? "" : ` (${milliseconds(execMs)} on the server)`;
  const size = bytes(body?.size ?? text.length);
  const type = mediaType === "" ? "" : `, ${clipForDisplay(mediaType, 60)}`;
  return (
    <div class="row" aria-live="polite">
      <Badge isPill state={{ tone: ok ? "ok" : "err", word }} />
      <span class="soft s">
        {milliseconds(totalMs)}
        {server}, {size}
        {type}, {clockTime(at)}
      </span>
    </div>
  );
}

interface AnswerProps {
  readonly reply: Reply;
  readonly pretty: string;
  readonly rows: ReturnType<typeof readRows>;
  readonly linkOf: LinkOf | undefined;
}

function Answer({ reply, pretty, rows, linkOf }: AnswerProps) {
  const { ok, body } = reply;
  if (!ok && body === null) {
    return (
      <>
        <p class="bad msg">{clipForDisplay(errorMessage(reply), MAX_TEXT)}</p>
        <Text text={pretty} />
      </>
    );
  }
  if (body !== null) return <Picture body={body} />;
  return rows === null ? <Text text={pretty} /> : <AnswerTable rows={rows} linkOf={linkOf} />;
}

function Text({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isTruncated = !isWhole && text.length > MAX_TEXT;
  return (
    <>
      <Code label="Response body" text={isTruncated ? text.slice(0, MAX_TEXT) : text} isJson />
      {isTruncated && (
        <div class="row">
          <button type="button" class="btn" onClick={() => setWhole(true)}>
            Show all {bytes(text.length)}
          </button>
        </div>
      )}
    </>
  );
}

function Headers({ headers }: { readonly headers: Reply["headers"] }) {
  return (
    <dl class="kv">
      {headers.map(([name, value]) => (
        <div class="pair" key={name}>
          <dt>{clipForDisplay(name, 60)}</dt>
          <dd class="mono">{clipForDisplay(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns the waterfall of the dispatch, or of server and network if there was no dispatch. */
function createWaterfall({ explain, execMs, totalMs }: Reply): Waterfall {
  const explained = buildWaterfall(explain);
  if (explained !== null) return explained;
  const serverMs = Math.min(execMs ?? 0, totalMs);
  const row = (title: string, startMs: number, ms: number) => {
    return { level: 0, title, detail: "", startMs, ms };
  };
  const rows = [
    row("server", 0, serverMs),
    row("network and browser", serverMs, totalMs - serverMs),
  ];
  return { totalMs: Math.max(totalMs, 1e-3), rows };
}

function fileName(mediaType: string): string {
  return `answer.${/^\w+\/(\w{1,10})$/.exec(mediaType)?.[1] ?? "json"}`;
}

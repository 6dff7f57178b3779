// A response: run time and origin, a table if it is a list, and its text.

import { useState } from "preact/hooks";
import { errorMessage, isRecord, type Reply } from "../data/client.js";
import { downloadFile } from "../data/download.js";
import { buildWaterfall } from "../data/explanation.js";
import { bytes, clipForDisplay, milliseconds } from "../data/text.js";
import { Picture } from "./picture.js";
import { Table } from "./table.js";
import { TextBlock } from "./text-block.js";
import { Waterfall } from "./waterfall.js";

const MAX_TEXT = 20_000;
const MAX_COLUMNS = 12;

export function ResponseView({ reply }: { readonly reply: Reply }) {
  const [isWhole, setWhole] = useState(false);
  const { value, status, ok, execMs, totalMs, text, mediaType, body } = reply;
  const pretty = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const isCut = !isWhole && pretty.length > MAX_TEXT;
  const waterfall = buildWaterfall(reply.explain);
  const rest = execMs === null ? null : Math.max(0, totalMs - execMs);
  return (
    <>
      <section class="card" aria-live="polite">
        <h2 class={ok ? "good" : "bad"}>
          {ok ? "Answer" : "Error"} {status}
        </h2>
        <p>
          {milliseconds(totalMs)} in all
          {execMs !== null && `, ${milliseconds(execMs)} on the server`}
          {rest !== null && `, ${milliseconds(rest)} network and browser`},{" "}
          {bytes(body?.size ?? text.length)}
          {mediaType !== "" && `, ${clipForDisplay(mediaType)}`}
        </p>
        {!ok && <p class="bad">{errorMessage(reply).slice(0, MAX_TEXT)}</p>}
        <ListTable value={value} />
        {body === null ? (
          <TextBlock label="Response body" text={isCut ? pretty.slice(0, MAX_TEXT) : pretty} />
        ) : (
          <Picture body={body} />
        )}
        <div class="row">
          {isCut && (
            <button type="button" class="btn" onClick={() => setWhole(true)}>
              Show all {bytes(pretty.length)}
            </button>
          )}
          <button
            type="button"
            class="btn"
            onClick={() => downloadFile(body ?? text, fileName(mediaType))}
          >
            Download
          </button>
        </div>
      </section>
      {waterfall !== null && <Waterfall waterfall={waterfall} />}
    </>
  );
}

function fileName(mediaType: string): string {
  return `answer.${/^\w+\/(\w{1,10})$/.exec(mediaType)?.[1] ?? "json"}`;
}

function ListTable({ value }: { readonly value: unknown }) {
  const list = isRecord(value) && Array.isArray(value.entries) ? value.entries : value;
  if (!Array.isArray(list) || list.length === 0) return null;
  const [first] = list;
  if (!isRecord(first)) {
    const rows = list.map((item) => (Array.isArray(item) ? item.slice(0, MAX_COLUMNS) : [item]));
    const width = Math.max(...rows.slice(0, 200).map((row) => row.length), 1);
    const columns = Array.from({ length: width }, (_, index) => `${index + 1}`);
    return <Table caption={`${list.length} items`} columns={columns} rows={rows} />;
  }
  const columns = Object.keys(first).slice(0, MAX_COLUMNS);
  const cell = (item: unknown, column: string) =>
    isRecord(item) && Object.hasOwn(item, column) ? item[column] : "";
  const rows = list.map((item) => columns.map((column) => cell(item, column)));
  return <Table caption={`${list.length} items`} columns={columns} rows={rows} />;
}

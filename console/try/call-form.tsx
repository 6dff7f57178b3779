// The form of a call in tabs: arguments, header fields, access, earlier calls.

import { useState } from "preact/hooks";
import type { PluginSpec } from "../../argspec/argspec.js";
import { headerRows } from "../data/credentials.js";
import {
  buildFormFields,
  type Files,
  findFieldError,
  parseFieldValue,
  type Values,
} from "../data/form.js";
import { clipForDisplay, count } from "../data/text.js";
import { FieldInput } from "../parts/field.js";
import { HistoryList, type useHistory } from "../parts/history-list.js";
import { Icon } from "../parts/icon.js";
import { Segments } from "../parts/segments.js";
import { Tabs } from "../parts/tabs.js";
import { navigate, saveStatePart } from "../router.js";
import { type Access, AccessPanel, describeCredentials } from "./access.js";
import { Authorization, HeaderRows } from "./authorization.js";
import type { PluginCall } from "./use-call.js";

/** Instances that can run a plugin: this one, back-ends of its matrix, or both. */
export type Way = "here" | "matrix" | "both";

type View = "arguments" | "headers" | "access" | "earlier";

interface CallFormProps {
  readonly plugin: PluginSpec;
  readonly values: Values;
  readonly files: Files;
  readonly access: Access;
  readonly ways: Way;
  readonly isThere: boolean;
  readonly call: PluginCall;
  readonly history: ReturnType<typeof useHistory>;
  readonly onValues: (values: Values) => void;
  readonly onFiles: (files: Files) => void;
  readonly onRun: () => void;
  readonly onSave: () => void;
  /** Called after an earlier call has been copied to the address. */
  readonly onRestore: () => void;
}

export function CallForm(props: CallFormProps) {
  const { plugin, values, files, access, call, history, onRun, onRestore } = props;
  const [view, setView] = useState<View>("arguments");
  const fields = buildFormFields(plugin);
  const isWrong = fields.some(
    (field) => findFieldError(field, values.get(field.name) ?? "", files.get(field.name)) !== null,
  );
  const run = (event: Event): void => {
    event.preventDefault();
    if (call.isRunning) call.stop();
    else if (!isWrong) onRun();
  };
  return (
    <form
      class="card"
      aria-label="Call"
      onSubmit={run}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(event);
      }}
    >
      <Tabs
        label="Parts of the call"
        chosen={view}
        onChoose={setView}
        tabs={[
          { name: "arguments", title: "Arguments", count: count(fields.length) },
          { name: "headers", title: "Headers", count: count(headerRows.value.length) },
          { name: "access", title: "Access", count: count(access.guards.length) },
          { name: "earlier", title: "Earlier", count: count(history.entries.length) },
        ]}
      >
        {view === "arguments" && <Arguments {...props} fields={fields} />}
        {view === "headers" && (
          <>
            {!access.takesCredentials && <Authorization askedBy="" />}
            <HeaderRows wanted={access.headers} />
          </>
        )}
        {view === "access" && <AccessPanel plugin={plugin} access={access} />}
        {view === "earlier" && (
          <HistoryList
            entries={history.entries}
            onChange={history.reload}
            onPick={({ address }) => {
              navigate(address);
              onRestore();
              setView("arguments");
            }}
          />
        )}
        <Actions {...props} isWrong={isWrong} />
      </Tabs>
    </form>
  );
}

interface ArgumentsProps extends CallFormProps {
  readonly fields: ReturnType<typeof buildFormFields>;
}

function Arguments({ plugin, fields, values, files, access, onValues, onFiles }: ArgumentsProps) {
  const setFile = (name: string, file: File | undefined): void => {
    const next = new Map(files);
    if (file === undefined) next.delete(name);
    else next.set(name, file);
    onFiles(next);
  };
  return (
    <>
      {fields.length === 0 && <p class="soft">This plugin has no parameters.</p>}
      {fields.map((field) => {
        const { name } = field;
        const text = values.get(name) ?? "";
        return (
          <FieldInput
            key={name}
            field={field}
            text={text}
            file={files.get(name)}
            mistake={findFieldError(field, text, files.get(name))}
            onText={(next) => onValues(new Map(values).set(name, next))}
            onFile={(file) => setFile(name, file)}
          />
        );
      })}
      {access.takesCredentials && <Authorization askedBy={describeCredentials(access)} />}
      <Examples plugin={plugin} onPick={onValues} />
    </>
  );
}

interface ActionsProps extends CallFormProps {
  readonly isWrong: boolean;
}

function Actions({ plugin, ways, isThere, call, isWrong, onRun, onSave }: ActionsProps) {
  const title = plugin.readonly ? "Run" : "Run, may change data";
  return (
    <div class="row">
      <button class="btn main" type="submit" disabled={!call.isRunning && isWrong}>
        {!call.isRunning && <Icon name="play" />}
        {call.isRunning ? "Stop" : title}
        {!call.isRunning && <kbd class="wide">Ctrl ↵</kbd>}
      </button>
      {isWrong && !call.isRunning && (
        <button type="button" class="btn" onClick={onRun}>
          Send all the same
        </button>
      )}
      {ways === "both" && (
        <Segments
          label="Where it runs"
          value={isThere ? "matrix" : "here"}
          among={[
            ["here", "Here"],
            ["matrix", "Through the matrix"],
          ]}
          onChoose={(way) => saveStatePart("via", way === "here" ? "" : way)}
        />
      )}
      {ways === "matrix" && <span class="soft s">Runs in back-ends, through the matrix.</span>}
      <button
        type="button"
        class="btn icon bare"
        aria-label="Save this call"
        title="Save this call"
        onClick={onSave}
      >
        <Icon name="save" />
      </button>
    </div>
  );
}

interface ExamplesProps {
  readonly plugin: PluginSpec;
  readonly onPick: (values: Values) => void;
}

function Examples({ plugin, onPick }: ExamplesProps) {
  const queries = plugin.examples.flatMap((example) => ("query" in example ? [example.query] : []));
  const all = queries.map((query) =>
    Object.entries(query).map(([name, value]) => [name, parseFieldValue(value)] as const),
  );
  const filled = all.filter((values) => values.length > 0);
  if (filled.length === 0) return null;
  return (
    <div class="row">
      <span class="faint s">Examples:</span>
      {filled.map((values, index) => (
        <button key={index} type="button" class="tag" onClick={() => onPick(new Map(values))}>
          {clipForDisplay(values.map(([name, value]) => `${name}=${value}`).join(" "), 60)}
        </button>
      ))}
    </div>
  );
}

// The call as code: a shell command, programs, and the plugin's part of the OpenAPI document.

import { useEffect, useState } from "preact/hooks";
import { callText, LANGUAGES } from "../data/call-snippets.js";
import { callServer } from "../data/client.js";
import { snippetHeaders } from "../data/credentials.js";
import type { PluginRequest } from "../data/form.js";
import { Code } from "../parts/code.js";
import { CopyButton } from "../parts/copy-button.js";
import { Tabs } from "../parts/tabs.js";
import { currentRoute, saveStatePart } from "../router.js";

const OPENAPI = "OpenAPI";
const FORMS = [...LANGUAGES, OPENAPI] as const;

interface CallCodeProps {
  readonly plugin: string;
  readonly request: PluginRequest;
}

export function CallCode({ plugin, request }: CallCodeProps) {
  const form = FORMS.find((name) => name === currentRoute.value.params.get("as")) ?? "curl";
  const document = useOpenApi(plugin, form === OPENAPI);
  const text =
    form === OPENAPI ? document : callText(form, originOfCalls(), request, snippetHeaders());
  return (
    <section class="card" aria-label="The call as code">
      <Tabs
        label="Language"
        chosen={form}
        onChoose={(name) => saveStatePart("as", name)}
        tabs={FORMS.map((name) => ({ name, title: name }))}
        end={<CopyButton text={text} what="code" />}
      >
        <Code label={`The call as ${form}`} text={text} isJson={form === OPENAPI} />
      </Tabs>
    </section>
  );
}

/** Returns the address of the main port, which precedes the admin port unless a proxy is used. */
function originOfCalls(): string {
  const { protocol, hostname, port, origin, pathname } = location;
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  const own = port === "" ? origin : `${protocol}//${hostname}:${Number(port) - 1}`;
  return own + prefix;
}

function useOpenApi(plugin: string, isWanted: boolean): string {
  const [text, setText] = useState("");
  useEffect(() => {
    if (!isWanted) return;
    const args = new URLSearchParams({ format: "openapi", plugin });
    callServer(`svc/builtin/argspec?${args}`).then(
      ({ text: json, value }) => setText(readable(value, json)),
      (error: Error) => setText(`# ${error.message}`),
    );
  }, [plugin, isWanted]);
  return text;
}

/** The document itself, with or without the server's envelope. */
function readable(value: unknown, text: string): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? text);
}

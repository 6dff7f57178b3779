// `svc mcp`: the plugins of a service as tools for models, over the standard input and output of
// this process (Model Context Protocol). Must never write anything else to standard output.

import { SvcError } from "../runtime/base/errors.js";
import { test } from "../runtime/settings/rules.js";
import { isUrl } from "./contract/fetch-response.js";
import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import type { OptionKind } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";

const URL_FORM = "the http or https URL of a server";
const serverUrl: OptionKind<string> = {
  rule: test(URL_FORM, (value) => isUrl(value as string) && URL.canParse(value as string), ""),
  expected: URL_FORM,
  placeholder: "<url>",
  read: (value) => value,
};

export const mcp = defineCommand({
  name: "mcp",
  summary: "Serves the plugins as MCP tools over stdio.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    from: { kind: serverUrl, help: "URL of a running server (default: serve the build)" },
  },
  environment: false,
  async run([folder], { from }) {
    if (folder !== undefined && from !== undefined) {
      throw new SvcError("SVC3004", "`svc mcp` takes a folder or `--from`, not both");
    }
    const { selectTools, serveTools } = await import("./mcp/serve-tools.js");
    await (from === undefined ? serveTools(projectFolder(folder)) : selectTools(from));
    return 0;
  },
});

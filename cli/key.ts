// `svc key`: creates an API key. The file stores only a digest, so the key is printed only once.

import { defineCommand } from "./framework/command.js";
import { stringSetting } from "./framework/option.js";

export const key = defineCommand({
  name: "key",
  summary: "Creates an API key, prints it and adds its digest to a file.",
  arguments: [
    { name: "<file>", required: true, help: "JSON file of `apiKeys`, such as keys.json" },
  ],
  options: {
    name: { kind: stringSetting("<name>"), help: "name of the principal" },
    scopes: { kind: stringSetting("<a,b>"), help: "permissions of the principal" },
  },
  environment: false,
  async run([file = ""], { name, scopes }) {
    const { addApiKey } = await import("../runtime/http/auth/add-api-key.js");
    const principal = {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes: scopes.split(",") }),
    };
    process.stdout.write(`${addApiKey(file, principal)}\n`);
    return 0;
  },
});

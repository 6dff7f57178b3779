// Scopes in the configuration without authentication.
// limit: 60 s
// starts processes

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject } from "../../../compiler/build.js";
import { addPlugin, TemporaryProject } from "../projects.js";

const test = suite("scopes of the configuration");

const CONFIG = (auth: string) => `export default {
  ${auth}
  builtins: { change: "svc:change" },
  graphs: {
    shop: { read: "shop:read", change: "shop:write" },
    open: {},
  },
};
`;

test("are reported if nothing checks them", async () => {
  const project = new TemporaryProject({
    "plugins/add.ts": addPlugin(),
    "src/auth.ts": "export const auth = () => null;\n",
    "svc.config.ts": CONFIG(""),
  });
  try {
    const { ok, diagnostics } = await buildProject(project.dir);
    assert.ok(ok);
    assert.equal(
      diagnostics.map(({ code, severity, position: { line, column }, message }) => {
        return `${code} ${severity} ${line}:${column} ${message.split(" ", 1)[0]}`;
      }),
      [
        "SVC1253 warning 3:15 `builtins.change`",
        "SVC1253 warning 5:13 `graphs.shop.read`",
        "SVC1253 warning 5:32 `graphs.shop.change`",
      ],
    );
    project.write("svc.config.ts", CONFIG('auth: "src/auth.ts#auth",'));
    assert.equal((await buildProject(project.dir)).diagnostics, []);
  } finally {
    project.remove();
  }
});

test.run();

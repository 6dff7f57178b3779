// Declarations of installed packages are compared by time and size.

import { utimesSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { InstalledFiles } from "../../compiler/installed-files.js";
import { ProjectFixture } from "./project-fixture.js";

const test = suite("installed files");

const PACKAGED = "node_modules/m/index.d.ts";
const OWN = "src/a.ts";

test("detect changed sizes, changed times and removed files, except of the project", () => {
  const project = new ProjectFixture({ [PACKAGED]: "aa", [OWN]: "aa" });
  const files = new InstalledFiles(project.dir);
  const touch = (second: number) => utimesSync(join(project.dir, PACKAGED), second, second);
  const hasChanged = (edit: () => void): boolean => {
    touch(1);
    files.follow([PACKAGED, OWN]);
    edit();
    return files.haveChanged();
  };
  const write = (text: string) => {
    project.write(PACKAGED, text);
    touch(1);
  };
  assert.is(
    hasChanged(() => project.write(OWN, "aaa")),
    false,
  );
  assert.is(
    hasChanged(() => write("bb")),
    false,
  );
  assert.is(
    hasChanged(() => write("bbb")),
    true,
  );
  assert.is(
    hasChanged(() => touch(2)),
    true,
  );
  assert.is(
    hasChanged(() => project.remove(PACKAGED)),
    true,
  );
});

test.run();

// Files of forms as parameters.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlugins } from "../../../compiler/check/check-plugins.js";
import { emitConverters } from "../../../compiler/emit/converters.js";
import { pluginNamed, readSource, userParam } from "../reading.js";

const test = suite("files of forms");

const read = (parameters: string, declare = "export function upload") =>
  readSource(`import type { UploadedFile } from "svc-server";
/** @plugin */
${declare}(${parameters}) { return 1; }`);

test("are arguments beside those of the query", () => {
  const reading = read("request: PluginRequest, title: str, image: UploadedFile");
  assert.equal(reading.diagnostics, []);
  const plugin = pluginNamed(reading, "upload");
  assert.is(userParam(plugin, "image").textClass, "UploadedFile");
  const code = emitConverters([plugin], reading.types, { modules: "m", convert: "c" });
  assert.match(code, 'callWithForm(received, ["image"], (source) => {');
  assert.match(code, 'fileArgument(source, "image", true)');
  assert.not.match(code, 'case "image"');
});

test("exclude another body", () => {
  const { plugins, types } = read(
    "request: PluginRequest, image: UploadedFile, content: Uint8Array",
  );
  const codes = checkPlugins(plugins, types, { executors: 1 }).map(({ code }) => code);
  assert.equal(codes, ["SVC1154"]);
});

test.run();

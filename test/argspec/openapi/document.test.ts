// What the OpenAPI document says of an argspec, and that it is one by the standard's own schema.

import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../../argspec/argspec.js";
import { openapiDocument } from "../../../argspec/openapi/document.js";
import { matchesGolden } from "../../golden/golden.js";

const test = suite("OpenAPI document");
const golden = new URL("../../golden/emit/argspec.json", import.meta.url);
const shop = JSON.parse(readFileSync(golden, "utf8")) as Argspec;

test("says this of the records that the emitters are tested with", async () => {
  const document = openapiDocument(shop);
  matchesGolden("emit/openapi.json", `${JSON.stringify(document, null, 2)}\n`);
  await assertValid(document);
});

async function assertValid(document: object): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors, null, 2));
}

test.run();

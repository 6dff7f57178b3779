// The query of a text search in the console.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildQuery } from "../../console/graph/text-search.js";

const test = suite("text search of the console");
const index = { name: "products", keys: ["title"], documents: 3, pending: 0 };

test("counts types and chosen properties, and marks all keys", () => {
  const search = { graph: "g", index, text: "red", facets: ["brand", ".type"], chosen: new Map() };
  assert.equal(buildQuery(search), {
    ...{ in: "products", prefix: true, fuzzy: "auto" },
    ...{ fields: "F_ID|F_TYPE|F_TEXT", result: "R_DICT" },
    highlight: { title: 160 },
    facets: { ".type": 10, brand: 10 },
    ...{ counts: true, explain: true },
  });
});

test("restricts hits to chosen values of their type", () => {
  const chosen = new Map([
    [".type", '"product"'],
    ["brand", '"Acme"'],
    ["price", "5"],
  ]);
  const { condition } = buildQuery({ graph: "g", index, text: "red", facets: [], chosen }) as {
    condition: unknown;
  };
  assert.equal(condition, {
    and: [{ type: "product" }, { property: { brand: "Acme" } }, { property: { price: 5 } }],
  });
});

test.run();

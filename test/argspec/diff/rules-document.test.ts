// RULES.md documents the table of rules. UPDATE_GOLDEN=1 writes it.

import { suite } from "uvu";
import { matchesGolden } from "../../golden/golden.js";
import { rulesText } from "./rules-text.js";

const test = suite("documentation of the difference rules");

test("matches the table", () => {
  matchesGolden("../../argspec/diff/RULES.md", rulesText());
});

test.run();

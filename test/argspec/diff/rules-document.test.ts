// RULES.md is what people read of the rules: it must be the table. UPDATE_GOLDEN=1 writes it anew.

import { suite } from "uvu";
import { matchesGolden } from "../../golden/golden.js";
import { rulesText } from "./rules-text.js";

const test = suite("rules of differences");

test("are documented as they are", () => {
  matchesGolden("../../argspec/diff/RULES.md", rulesText());
});

test.run();

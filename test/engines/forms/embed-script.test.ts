import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import { embedScript } from "../../../server/engines/forms/data/embed-script.ts";
import { holds } from "../../../server/engines/forms/rules/condition.ts";
import { normaliseAnswer } from "../../../server/engines/forms/rules/normalise.ts";
import type { Condition } from "../../../server/engines/forms/schema/condition.ts";
import { field, how } from "./make.ts";

interface Embedded {
  read(form: object, about: object): unknown;
  holds(condition: Condition, answers: object): boolean;
}

/** The functions of the script, without a page. */
function embedded(): Embedded {
  const script = embedScript("https://forms.example", "frm_1", {})
    .replace("start().catch(", "return { read, holds };\nstart().catch(")
    .replace(/\n\}\)\(\);\n$/, "\n})()");
  const document = { currentScript: null, querySelector: () => ({ isConnected: true }) };
  return runInNewContext(script, { document, location: { hash: "" }, Intl, WeakMap });
}

describe("an amount in an embedded form", () => {
  const { read, holds: holdsThere } = embedded();
  const atLeast: Condition = { field: "budget", op: "gte", value: 100_000 };

  it.each([
    ["GBP", "1000", true],
    ["GBP", "999.99", false],
    ["GBP", "1000.10", true],
    ["GBP", "0.29", false],
    ["JPY", "100000", true],
    ["BHD", "99.999", false],
    ["GBP", "10.001", false],
    ["GBP", "", false],
  ] as const)("of %s %s meets the same conditions as on the server", (currency, value, isMet) => {
    const budget = field("budget", { type: "currency", currency });
    const answer = read({ querySelectorAll: () => [{ value }] }, budget);
    expect(holdsThere(atLeast, { budget: answer })).toBe(isMet);
    const there = normaliseAnswer(budget, value, how);
    expect(holds(atLeast, { budget: there })).toBe(isMet);
    expect(normaliseAnswer(budget, answer, how)).toBe(there);
  });
});

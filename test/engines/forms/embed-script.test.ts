import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import { embedScript } from "../../../server/engines/forms/data/embed-script.ts";
import { holds } from "../../../server/engines/forms/rules/condition.ts";
import { normaliseAnswer } from "../../../server/engines/forms/rules/normalise.ts";
import type { Condition } from "../../../server/engines/forms/schema/condition.ts";
import { field, how } from "./make.ts";

interface Embedded {
  gather(form: object, definition: object): Record<string, unknown>;
  fill(form: object, definition: object, saved: object): void;
  prefilled(definition: object, query: URLSearchParams): Record<string, string>;
  read(form: object, about: object): unknown;
  holds(condition: Condition, answers: object): boolean;
}

/** The functions of the script, without a page. */
function embedded(): Embedded {
  const script = embedScript("https://forms.example", "frm_1", {})
    .replace("start().catch(", "return { fill, gather, holds, prefilled, read };\nstart().catch(")
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

describe("a file in an embedded form", () => {
  const { gather } = embedded();
  const when: Condition = { field: "photo", op: "not_empty" };
  const fields = [field("photo", { type: "file" }), field("what", { visible_when: when })];
  /** A page with the controls of both fields. */
  const page = (names: readonly string[]) => {
    const controls: Record<string, object> = {
      photo: { files: names.map((name) => ({ name })) },
      what: { value: "A loaf" },
    };
    const box = { hidden: false, querySelectorAll: () => [] };
    return {
      box,
      querySelector: (selector: string) => (selector.includes('"what"') ? box : null),
      querySelectorAll: (selector: string) => [controls[/"(\w+)"/.exec(selector)?.[1] ?? ""]],
    };
  };

  it("meets the same conditions as on the server, and is no answer before it is uploaded", () => {
    const [without, chosen] = [page([]), page(["loaf.jpg"])];
    expect([gather(without, { fields, steps: [] }), without.box.hidden]).toEqual([{}, true]);
    expect([gather(chosen, { fields, steps: [] }), chosen.box.hidden]).toEqual([{ what: "A loaf" }, false]);
  });
});

describe("the address of the page of an embedded form", () => {
  const { fill, prefilled } = embedded();
  const fields = [
    field("campaign", { type: "hidden", prefill_param: "c" }),
    field("topic", { type: "radio", prefill_param: "topic" }),
    field("terms", { type: "consent", prefill_param: "terms" }),
    field("name"),
  ];

  it("prefills the fields that specify it, hidden ones included, and no consent", () => {
    const query = new URLSearchParams("c=spring&topic=order&terms=true&name=Ada");
    const given = prefilled({ fields }, query);
    expect(given).toEqual({ campaign: "spring", topic: "order" });
    const hidden = { type: "hidden", value: "" };
    const radios = ["other", "order"].map((value) => ({ type: "radio", value, checked: false }));
    const controls: Record<string, object[]> = { campaign: [hidden], topic: radios };
    const querySelectorAll = (selector: string) => controls[/"(\w+)"/.exec(selector)?.[1] ?? ""] ?? [];
    fill({ querySelectorAll }, { fields }, given);
    expect([hidden.value, ...radios.map(({ checked }) => checked)]).toEqual(["spring", false, true]);
  });
});

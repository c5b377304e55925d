import { expect, it } from "vitest";

import { checkOf, entityOf, percent, steps } from "../../../server/engines/answeros/rules/checks.ts";
import { factsOf } from "./fixture.ts";

const finding = { id: "X1", component: "access" as const, title: "", max: 4, evidence: "", fix: "Mend it." };

it.each([
  [4, "good", null],
  [2, "ok", "Mend it."],
  [0, "bad", "Mend it."],
  [null, "na", null],
] as const)("%o points are %s", (points, status, fix) => {
  expect(checkOf({ ...finding, points })).toMatchObject({ status, fix });
});

it("gives the points of the first step that is reached", () => {
  expect([4.9, 5, 2, 1.9].map((value) => steps(value, [5, 8], [2, 4]))).toEqual([4, 8, 4, 0]);
});

it("knows what a page is about", async () => {
  const facts = await factsOf("<h1>Rye loaf</h1>", "<title>Rye | Crumb</title>");
  expect(entityOf({ entity: "Dark rye", facts })).toBe("Dark rye");
  expect(entityOf({ entity: null, facts })).toBe("Rye loaf");
  expect(entityOf({ entity: null, facts: await factsOf("<p>x</p>", "<title>Rye | Crumb</title>") })).toBe(
    "Rye",
  );
  expect(entityOf({ entity: null, facts: await factsOf("<p>x</p>") })).toBe("");
});

it("writes shares", () => expect(percent(0.666)).toBe("67 %"));

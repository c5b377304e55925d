import { expect, it } from "vitest";

import { readFacts } from "../../../server/engines/menus/routes/read-facts.ts";
import { many } from "../../support/longest-turn.ts";
import { containing } from "./fixture.ts";

it("reads each product once, at most fifty at a time, and keeps the origins that are needed", async () => {
  const asked: (readonly string[])[] = [];
  const ids = many(120, (n) => `prd_${n}`);
  const facts = await readFacts(
    [null, ...ids, ...ids],
    async (part) => {
      asked.push(part);
      return new Map(part.map((id) => [id, containing({ milk: ["cheese", "cream"] })]));
    },
    (id, origins) => (id === "prd_7" ? origins : []),
  );
  expect(asked.map((part) => part.length)).toEqual([50, 50, 20]);
  expect(asked.flat()).toEqual(ids);
  expect(facts.get("prd_7")).toEqual(containing({ milk: ["cheese", "cream"] }));
  expect(facts.get("prd_8")).toEqual(containing({ milk: [] }));
});

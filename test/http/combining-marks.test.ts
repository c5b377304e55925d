import { afterAll, beforeAll, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const create = async (body: string) =>
  harness.app.fetch(
    new Request("http://platform.test/v1/content/drafts", {
      method: "POST",
      headers: {
        authorization: `Bearer ${(await harness.key()).plaintext}`,
        "content-type": "application/json",
      },
      body,
    }),
  );

it.each([
  ["as they are", "\u0301".repeat(101)],
  ["escaped", "\\u0301".repeat(101)],
  ["one of each in turn", "\u0301\\u0323".repeat(51)],
])("refuses a hundred combining marks in a row, %s, and names the place", async (_name, marks) => {
  const answer = await create(`{"title":"Bread","body":"a${marks}"}`);
  expect(answer.status).toBe(422);
  expect((await answer.json()).error.errors).toEqual([
    { pointer: "#/body", detail: "The text contains more than 100 combining marks in a row." },
  ]);
});

it.each([
  ["fewer marks", "a\u0301".repeat(10) + "\u0323".repeat(99)],
  ["a text that is escaped throughout", "\\u6d77\\u5bff".repeat(100)],
])("accepts %s", async (_name, text) => {
  expect((await create(`{"title":"Bread","body":"${text}"}`)).status).toBe(201);
});

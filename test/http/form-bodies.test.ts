import { afterAll, beforeAll, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";

// Bodies of HTML forms, which anyone can send without a key.

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const FORM = "application/x-www-form-urlencoded";
const post = (path: string, body: string) =>
  harness.app.fetch(
    new Request(`http://platform.test${path}`, { method: "POST", headers: { "content-type": FORM }, body }),
  );

/** Just below the limit of a body. */
function manyNames(): string {
  const names: string[] = [];
  for (let chars = 0; chars < 1_040_000; chars += (names.at(-1)?.length ?? 0) + 1)
    names.push(names.length.toString(36));
  return names.join("&");
}

const PATHS = ["/signup", "/api/public/mail/token", "/api/public/forms/sto_1.frm_1"];

it.each(PATHS)("413 for a form of very many fields, before it is parsed: %s", async (path) => {
  const body = manyNames();
  const longest = await longestOf(
    () => harness.clock.advance(60_000),
    async () => {
      const answer = await post(path, body);
      await answer.text();
      expect(answer.status).toBe(413);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
});

it("takes a form of as many fields as there may be", async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=1`).join("&");
  expect((await post("/signup", fields(300))).status).toBe(422);
  const refused = await post("/signup", fields(301));
  expect(refused.status).toBe(413);
  expect(await refused.text()).toContain("The request body has more than 300 fields.");
});

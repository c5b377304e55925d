import { afterAll, beforeAll, expect, it } from "vitest";

import { urlUpTo } from "../../server/core/schema.ts";
import { readBody } from "../../server/http/body.ts";
import type { Incoming } from "../../server/http/messages.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";

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

it.each([
  ["as they are", "a" + "\u0301".repeat(100)],
  ["escaped", "a" + "\\u0301".repeat(100)],
])("looks through many rows of a hundred marks, %s, in one pass", async (_name, row) => {
  const body = `{"title":"Bread","body":"${row.repeat(Math.floor(900_000 / Buffer.byteLength(row)))}"}`;
  const parse = async (): Promise<void> => {
    const req = { header: () => "application/json", body: async () => Buffer.from(body) };
    (await readBody(req as unknown as Incoming, 1_048_576, false)).parse();
  };
  expect(await longestOf(() => undefined, parse)).toBeLessThan(2 * TURN_MS);
});

it.each([
  ["application/x-www-form-urlencoded", `text=${encodeURIComponent(`a${"\u0301".repeat(101)}`)}`],
  [
    "multipart/form-data; boundary=b",
    `--b\r\nContent-Disposition: form-data; name="text"\r\n\r\na${"\u0301".repeat(101)}\r\n--b--`,
  ],
])("refuses them in the body of a form as %s", async (type, body) => {
  const req = { header: () => type, body: async () => Buffer.from(body) };
  const read = await readBody(req as unknown as Incoming, 1_048_576, "multipart");
  expect(() => read.parse()).toThrow("1 field is invalid.");
});

it("counts the characters of a URL before its host is read", async () => {
  const url = `https://a${"%CC%81".repeat(30_000)}`;
  const parse = async (): Promise<void> => {
    expect(urlUpTo(1_000, { protocol: /^https?$/ }).safeParse(url).success).toBe(false);
  };
  expect(await longestOf(() => undefined, parse)).toBeLessThan(TURN_MS);
});

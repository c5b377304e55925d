import { afterAll, beforeAll, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";

// A refusal says where a body is invalid, in words of the sender: it must not be as long as the body.

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

const PRIVACY = "/api/public/privacy/some-text";
const LONG = 1_040_000;
const post = async (path: string, body: unknown) => {
  const answer = await harness.call("POST", path, { body });
  return { ...answer, errors: answer.json.error.errors ?? [] };
};
const patch = async (body: unknown) => {
  const answer = await harness.call("PATCH", "/v1/account/store", { key: await harness.key(), body });
  return { ...answer, errors: answer.json.error.errors ?? [] };
};

it("cuts the name of an unknown member", async () => {
  const { status, text, errors } = await patch({ ["n".repeat(LONG)]: 1 });
  expect([status, errors]).toEqual([
    422,
    [{ pointer: `#/${"n".repeat(200)}…`, detail: "Unknown member. Remove it or check its spelling." }],
  ]);
  expect(text.length).toBeLessThan(1_000);
});

it("cuts it before it is escaped, and never within an escape", async () => {
  const { errors } = await patch({ ["~/".repeat(LONG / 2)]: 1 });
  expect(errors[0].pointer).toBe(`#/${"~0~1".repeat(100)}…`);
});

it("ends the pointer to a place that is below many long names", async () => {
  const key = await harness.key();
  const nested = Array.from({ length: 20 }).reduce(
    (within: unknown) => ({ ["n".repeat(50_000)]: within }),
    "a\ud800",
  );
  const answer = await harness.call("POST", "/v1/menus/items", { key, body: { title: nested } });
  expect(answer.status).toBe(422);
  const { pointer } = answer.json.error.errors[0];
  expect(pointer).toMatch(/^#\/title(\/n{200}…){5}\/…$/);
});

it("leaves names as they are that a route could have", async () => {
  const { errors } = await post(PRIVACY, { ["n".repeat(200)]: 1, "a~/b": 2 });
  expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    `#/${"n".repeat(200)}`,
    "#/a~0~1b",
  ]);
});

it("refuses a name of a megabyte within one short turn", async () => {
  const body = { ["~".repeat(LONG)]: 1 };
  const longest = await longestOf(
    () => harness.clock.advance(60_000),
    async () => {
      expect((await patch(body)).status).toBe(422);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
});

it("cuts names of query parameters", async () => {
  const key = await harness.key();
  const answer = await harness.call("GET", `/v1/delivery/zones?${"n".repeat(5_000)}=1`, { key });
  expect(answer.status).toBe(422);
  expect(answer.json.error.errors[0].parameter).toBe(`${"n".repeat(200)}…`);
});

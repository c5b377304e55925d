import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { GUIDES } from "../../server/site/docs/guides.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness } from "../harness.ts";

// What the guides show is what works: their requests are sent as they stand, and their answer is the true one.
const BASE = "https://guide.test";
let harness: Harness;
let key: string;
let testKey: string;
beforeAll(async () => {
  harness = await createHarness({ now: "2026-06-01T09:00:00.000Z" });
  const { customer_id, store } = (
    await harness.admin("POST", "/api/platform/admin/seed", { body: { engines: ["delivery"] } })
  ).json.data;
  const body = { customer_id, store, preset: "full" };
  key = (await harness.admin("POST", "/api/platform/admin/keys", { body })).json.data.api_key;
  testKey = (await harness.key({ mode: "test" })).plaintext;
});
afterAll(() => harness.close());

const shown = GUIDES.flatMap(({ slug, markdown }) =>
  Array.from(markdown(BASE).matchAll(/^curl (?:.*\\\n)*.*$/gm), ([command]) => [slug, command] as const),
);

/** Sends what a line with curl would send. */
function send(command: string, apiKey: string): Promise<Answer> {
  const url = /https:\/\/guide\.test(\S*)/.exec(command)?.[1] ?? "";
  const data = / -d '([^']*)'/.exec(command)?.[1];
  const method = / -X (\w+)/.exec(command)?.[1] ?? (data === undefined ? "GET" : "POST");
  const headers = Object.fromEntries(
    Array.from(command.matchAll(/ -H "([^:]+): ([^"]*)"/g), ([, name = "", value = ""]) => [
      name.toLowerCase(),
      value.replace("$API_KEY", apiKey),
    ]),
  );
  return harness.call(method, url, { headers, ...(data === undefined ? {} : { body: data }) });
}

describe("the guides", () => {
  it("show requests", () => expect(shown.length).toBeGreaterThan(3));

  it.each(shown)("%s: %s", async (slug, command) => {
    const answer = await send(command, slug === "testing" ? testKey : key);
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
  });

  it("show the error that a request without a postcode gets", async () => {
    const guide = GUIDES.find(({ slug }) => slug === "answers-and-errors")?.markdown(BASE) ?? "";
    const body = { basketTotal: "2500" };
    const { json } = await harness.call("POST", "/v1/delivery/validate", { key, body });
    expect(JSON.parse(/```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "")).toEqual(json);
  });
});

import { expect, it } from "vitest";

import { OutgoingError } from "../../server/core/ports.ts";
import { createHarness } from "../harness.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";

const MONTH_MS = 31 * 86_400_000;

it("advances a test clock by months in short turns, also where nothing is due", async () => {
  const harness = await createHarness();
  const key = await harness.key({ mode: "test" });
  const call = (path: string, body: object) =>
    harness.call("POST", `/v1/account/test-clock${path}`, { key, body });
  let now = Date.parse("2026-06-01T09:00:00.000Z");
  await call("", { now: new Date(now).toISOString() });
  const longest = await longestOf(
    () => {
      harness.clock.advance(60_000);
      now += MONTH_MS;
      return new Date(now).toISOString();
    },
    async (to) => {
      expect((await call("/advance", { to })).json.data).toMatchObject({ reached: true, failed: 0 });
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
  await harness.close();
});

it("ends an advance after twenty seconds, also within a job whose servers are slow", async () => {
  let fetched = 0;
  const harness = await createHarness({
    fetch: async () => {
      fetched += 1;
      harness.clock.advance(8_000);
      throw new OutgoingError("unknown", "The request timed out.");
    },
  });
  const key = await harness.key({ mode: "test" });
  const call = async (path: string, body: object) => {
    const { json, status } = await harness.call("POST", path, { key, body });
    expect(status).toBeLessThan(300);
    return json.data;
  };
  await call("/v1/account/test-clock", { now: "2026-06-01T09:00:00.000Z" });
  for (let n = 0; n < 10; n += 1) {
    const { id } = await call("/v1/content/articles", { url: `https://shop.example/${n}` });
    await call(`/v1/content/articles/${id}/checks`, {});
  }
  const to = "2026-06-01T10:00:00.000Z";
  expect((await call("/v1/account/test-clock/advance", { to })).reached).toBe(false);
  expect(fetched).toBe(3);
  for (let n = 0; n < 5; n += 1) await call("/v1/account/test-clock/advance", { to });
  expect(fetched).toBe(10);
  await harness.close();
});

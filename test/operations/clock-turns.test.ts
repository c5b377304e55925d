import { expect, it } from "vitest";

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

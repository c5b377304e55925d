import { readFileSync } from "node:fs";

import { afterEach, describe, expect, it } from "vitest";

import { createHarness } from "./harness.ts";
import type { Harness } from "./harness.ts";

// What the README shows is what the service answers: the demo shop on a Monday morning.
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

let harness: Harness;
afterEach(() => harness.close());

async function demoShop(): Promise<string> {
  harness = await createHarness({ now: "2026-06-01T09:00:00.000Z" });
  const seeded = await harness.admin("POST", "/api/platform/admin/seed", { body: {} });
  expect(seeded.status).toBe(200);
  const { customer_id, store } = seeded.json.data;
  const issued = await harness.admin("POST", "/api/platform/admin/keys", {
    body: { customer_id, store, preset: "full" },
  });
  expect(issued.status).toBe(201);
  return issued.json.data.api_key;
}

describe("the README", () => {
  it("shows the true answer of POST /v1/delivery/validate", async () => {
    const key = await demoShop();
    const body = { postcode: "SW1A 1AA", basketTotal: 2500 };
    const { json } = await harness.call("POST", "/v1/delivery/validate", { key, body });
    const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
    expect({ ...json.data, next_slots: json.data.next_slots.slice(0, 1) }).toMatchObject(shown);
  });

  it("names postcodes whose answers differ as it says", async () => {
    const key = await demoShop();
    const told: string[] = [];
    for (const postcode of ["SW1X 7XJ", "SW10 9AA", "S1 2AA", "GIR 0AA", "SWIA 2AA"]) {
      expect(readme).toContain(`\`${postcode}\``);
      const body = { postcode, basketTotal: 4000 };
      const { data } = (await harness.call("POST", "/v1/delivery/validate", { key, body })).json;
      told.push(
        [data.fee ?? data.reasons[0].code, data.suggestion].filter((part) => part !== undefined).join(" "),
      );
    }
    expect(told).toEqual([
      "399",
      "899",
      "out_of_zone",
      "postcode_not_deliverable",
      "postcode_invalid SW1A 2AA",
    ]);
  });

  it("lists the plans as they are", async () => {
    harness = await createHarness();
    const plans = await harness.admin("GET", "/api/platform/admin/plans");
    const rows = [...readme.matchAll(/^\| (\w+) \| ([\d,]+) \| (\w+) \| (\d+) \|$/gm)].map(
      ([, ...cells]) => cells,
    );
    expect(rows).toEqual(
      plans.json.data.map(
        (plan: { name: string; requests_per_minute: number; stores: number | null; active_keys: number }) => [
          plan.name,
          plan.requests_per_minute.toLocaleString("en-GB"),
          plan.stores === null ? "unlimited" : String(plan.stores),
          String(plan.active_keys),
        ],
      ),
    );
  });
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { GUIDES } from "../../server/site/docs/guides.ts";
import { CallbackBody, parseResult } from "../../server/engines/subscriptions/rules/parse-answer.ts";
import { outgoing } from "../engines/subscriptions/stripe-world.ts";
import { serveHarness } from "../support/browser.ts";
import { startStripeDouble } from "../support/stripe-double.ts";
import type { StripeDouble } from "../support/stripe-double.ts";

const run = promisify(execFile);
const textOf = (slug: string, baseUrl: string): string =>
  GUIDES.find((guide) => guide.slug === slug)?.markdown(baseUrl) ?? "";

// The guide is run as it is written, by bash, curl and jq; only Stripe is a double on this machine.
describe("the guide to the first paid subscription", () => {
  let served: Awaited<ReturnType<typeof serveHarness>>;
  let stripe: StripeDouble;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    served = await serveHarness({ ...outgoing });
    stripe = await startStripeDouble({ now: served.harness.clock.now });
    const { plaintext } = await served.harness.key();
    env = { PATH: process.env.PATH, API_KEY: plaintext, STRIPE_KEY: stripe.apiKey };
  });
  afterAll(async () => {
    await served.close();
    await stripe.close();
  });

  it("leads from an empty store to a paid contract", async () => {
    const blocks = Array.from(
      textOf("first-subscription", served.url).matchAll(/```bash\n([\s\S]*?)```/g),
      ([, block = ""]) => block.replace('"kind": "stripe"', `"kind": "stripe", "url": "${stripe.url}"`),
    );
    expect(blocks).toHaveLength(5);
    const upToPage = ["set -euo pipefail", ...blocks.slice(0, 4), 'echo "$CONTRACT"'].join("\n");
    const { stdout } = await run("bash", ["-c", upToPage], { env });
    const [page = "", contract = ""] = stdout.trim().split("\n");
    await served.harness.services.jobs.run("subscriptions.bill");

    const form = { method: "POST", body: new URLSearchParams({ action: "add_card" }) };
    const checkout = /content="0; url=([^"]+)"/.exec(await (await fetch(page, form)).text())?.[1] ?? "";
    const back = await fetch(checkout, { method: "POST" });
    expect(await back.text()).toContain("From now on visa ending in 4242 is charged.");
    await served.harness.services.jobs.run("subscriptions.bill");

    const last = ["set -euo pipefail", blocks[0], `CONTRACT=${contract}`, blocks[4]].join("\n");
    expect((await run("bash", ["-c", last], { env })).stdout.trim()).toBe("active");
    expect(stripe.account.ledger).toMatchObject([{ kind: "payment", amount: 1800 }]);
  });
});

it("the guide to gateways shows results and callbacks that are understood", () => {
  const lines = Array.from(
    textOf("payment-gateways", "https://guide.test").matchAll(/```json\n([\s\S]*?)```/g),
    ([, text = ""]) => text.trim().split("\n"),
  )
    .flat()
    .map((text) => JSON.parse(text));
  const [charge, lookup, refund, result, callback] = lines;
  expect([charge.type, lookup.type, refund.type]).toEqual(["charge", "lookup", "refund"]);
  expect(parseResult(result)).toMatchObject({ status: "failed", failure: { category: "soft" } });
  expect(CallbackBody.safeParse(callback).success).toBe(true);
});

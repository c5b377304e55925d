import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { writeRewrites } from "../../../../server/engines/answeros/jobs/write-rewrites.ts";
import { Problem } from "../../../../server/lib/errors.ts";
import { rewrites } from "../../../../server/engines/answeros/repository.ts";
import { createShop, RYE } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { makeUp } from "../../../support/state-changes.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const BODY =
  "In order to serve tea, warm the pot.\n\nOur ovens are hot.\n\nCoffee keeps for eight days when it is wrapped.";

const draft = async (body = BODY) =>
  (
    await shop.must("POST", "/v1/content/drafts", {
      kind: "post",
      title: "Keeping coffee",
      body_format: "markdown",
      body,
    })
  ).id as string;
const question = "How long does coffee keep?";

async function written(target: object, more: object = {}) {
  const { id, status } = await shop.must("POST", "/rewrites", { ...target, question, ...more });
  expect(status).toBe("queued");
  await shop.run(writeRewrites);
  return shop.must("GET", `/rewrites/${id}`);
}

describe("a rewrite of a draft", () => {
  it("is written by rules, scored, and applied as a revision", async () => {
    const id = await draft();
    const ready = await written({ draft_id: id }, { ops: ["answer_first", "drop_filler"] });
    expect(ready).toMatchObject({
      status: "ready",
      provider: "builtin",
      unsupported_claims: [],
      draft_id: id,
    });
    expect(ready.after).not.toBe(BODY);
    expect(ready.after.indexOf("eight days")).toBeLessThan(ready.after.indexOf("ovens"));
    expect(ready.score_after).toBeGreaterThanOrEqual(ready.score_before);
    expect(ready.diff.length).toBeGreaterThan(1);
    expect(ready.usage_id).toMatch(/^aiu_/);
    expect(await shop.events()).toContain("answeros.rewrite.ready");
    const applied = await shop.must("POST", `/rewrites/${ready.id}/apply`, {});
    expect(applied).toMatchObject({ status: "applied", applied_revision: expect.any(Number) });
    expect((await shop.must("GET", `/v1/content/drafts/${id}`)).body).toBe(ready.after);
    expect(await shop.refused("POST", `/rewrites/${ready.id}/apply`, {})).toEqual([
      409,
      "invalid_transition",
    ]);
    expect(await shop.refused("POST", `/rewrites/${ready.id}/reject`, {})).toEqual([
      409,
      "invalid_transition",
    ]);
  });

  it("fails where the rules make the score worse: needs_model", async () => {
    const texts: readonly { title: string; question: string; text: string }[] = JSON.parse(
      readFileSync(new URL("../../../ai/texts.json", import.meta.url), "utf8"),
    );
    const refunds = texts.find(({ title }) => title === "Refunds and returns");
    const id = await draft(refunds?.text);
    const failed = await written({ draft_id: id }, { question: refunds?.question, ops: ["drop_filler"] });
    expect([failed.status, failed.error.code, failed.after]).toEqual(["failed", "needs_model", null]);
  });

  it("stays requested where the process ends, or loses the job, while it is written", async () => {
    const { id } = await shop.must("POST", "/rewrites", { draft_id: await draft(), question });
    const ending = new AbortController();
    const { ports } = shop.harness.services;
    const generate: typeof ports.ai.generate = async () => {
      ending.abort();
      throw new Problem("service_unavailable", "The AI provider failed.", { code: "ai_unavailable" });
    };
    const ai = { ...ports.ai, generate };
    await shop.run(writeRewrites, { signal: ending.signal, ports: { ...ports, ai } });
    expect((await shop.must("GET", `/rewrites/${id}`)).status).toBe("queued");
    await shop.run(writeRewrites);
    expect((await shop.must("GET", `/rewrites/${id}`)).status).not.toBe("queued");
  });

  it("is not applied to another text: 409 draft_changed", async () => {
    const id = await draft();
    const ready = await written({ draft_id: id });
    await shop.must("PATCH", `/v1/content/drafts/${id}`, { body: "Something else by now." });
    expect(await shop.refused("POST", `/rewrites/${ready.id}/apply`, {})).toEqual([409, "draft_changed"]);
  });

  it("with claims of its own waits for somebody to accept them: 409 unsupported_claims", async () => {
    const id = await draft();
    const ready = await written({ draft_id: id });
    const { runTx } = shop.harness.services;
    await makeUp(() =>
      runTx(shop.part, async (tx) => {
        const before = await tx.require(rewrites, ready.id);
        const claims = [{ kind: "price", text: "£3.00" }];
        tx.put(rewrites, before, { ...before.value, status: "needs_review", unsupported_claims: claims });
      }),
    );
    const apply = (body: object) => shop.refused("POST", `/rewrites/${ready.id}/apply`, body);
    expect(await apply({})).toEqual([409, "unsupported_claims"]);
    expect(await apply({ accept_claims: true })).toEqual([409, "unsupported_claims"]);
    const body = { accept_claims: true, reason: "The price is right." };
    const writer = await shop.harness.key({
      scopes: ["answeros:read", "answeros:write"],
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
    });
    const path = `/v1/answeros/rewrites/${ready.id}/apply`;
    expect((await shop.harness.call("POST", path, { key: writer, body })).status).toBe(403);
    const applied = await shop.must("POST", `/rewrites/${ready.id}/apply`, body);
    expect(applied).toMatchObject({ status: "applied", decided_reason: "The price is right." });
    expect((await shop.must("GET", `/v1/content/drafts/${id}`)).ai.overrides).toEqual([
      expect.objectContaining({ generation_id: ready.id, by: shop.key.id, claims: 1, reason: body.reason }),
    ]);
  });

  it("can be turned down", async () => {
    const ready = await written({ draft_id: await draft() });
    const rejected = await shop.must("POST", `/rewrites/${ready.id}/reject`, { reason: "Too stiff." });
    expect(rejected).toMatchObject({ status: "rejected", decided_reason: "Too stiff." });
    expect(
      (await shop.must("GET", "/rewrites?status=rejected")).map((one: { id: string }) => one.id),
    ).toEqual([ready.id]);
  });
});

describe("a rewrite of a page", () => {
  it("shows the text, which is taken over by hand: 409 no_draft", async () => {
    const page = await shop.must("POST", "/pages", { html: RYE });
    const ready = await written({ page_id: page.id });
    expect(ready).toMatchObject({ format: "html", page_id: page.id, draft_id: null });
    expect(await shop.refused("POST", `/rewrites/${ready.id}/apply`, {})).toEqual([409, "no_draft"]);
    expect((await shop.must("GET", `/rewrites?page_id=${page.id}`))[0].id).toBe(ready.id);
  });

  it("of a draft is one of the draft", async () => {
    const id = await draft();
    const page = await shop.must("POST", "/pages", { source: { type: "draft", id } });
    const { draft_id: found, before } = await shop.must("POST", "/rewrites", { page_id: page.id });
    expect([found, before]).toEqual([id, BODY]);
  });
});

it("refuses what cannot be written", async () => {
  const create = (body: object) => shop.refused("POST", "/rewrites", body);
  const unread = await shop.must("POST", "/pages", { url: "https://crumb.example/unread" });
  expect(await create({ page_id: unread.id })).toEqual([409, "page_not_read"]);
  expect((await create({}))[0]).toBe(422);
  expect((await create({ draft_id: "drf_none" }))[0]).toBe(422);
  expect(await create({ page_id: unread.id, provider: "oracle" })).toEqual([422, "provider_unknown"]);
  const long = await draft("Bread is good. ".repeat(4_100));
  expect(await create({ draft_id: long })).toEqual([422, "text_too_long"]);
});

import { afterEach, describe, expect, it } from "vitest";

import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";

// What was read from a list and decides about a write: another request commits right before or after the list is read.
const NOW = "2026-06-01T09:00:00.000Z";

let harness: Harness | undefined;
afterEach(() => harness?.close());

type Send = (method: string, path: string, body?: unknown) => Promise<{ id: string; refusal: string }>;

/** A shop whose next read or write of a document, by a part of its key, waits for another request. */
async function createShop() {
  const store = createMemoryDriver({ clock: createTestClock(NOW) });
  let next: { readonly key: string; readonly other: () => Promise<unknown> } | null = null;
  async function pass(keys: readonly string[]): Promise<void> {
    if (next === null || !keys.some((key) => next?.key !== undefined && key.includes(next.key))) return;
    const { other } = next;
    next = null;
    await other();
  }
  harness = await createHarness({
    now: NOW,
    store: {
      ...store,
      async get(key) {
        await pass([`get ${key}`]);
        return store.get(key);
      },
      async commit(part, ops, ...rest) {
        await pass(ops.map((op) => ("del" in op ? `remove ${op.del}` : `put ${op.put}`)));
        return store.commit(part, ops, ...rest);
      },
    },
  });
  const key: TestKey = await harness.key();
  const { call } = harness;
  const send: Send = async (method, path, body) => {
    const { json, status } = await call(method, `/v1${path}`, { key, body });
    return { id: json?.data?.id ?? "", refusal: `${status} ${json?.error?.code ?? ""}`.trim() };
  };
  return {
    send,
    before(key: string, other: () => Promise<unknown>): void {
      next = { key, other };
    },
    isDone: () => next === null,
  };
}

describe("a deletion", () => {
  it.each([false, true])("of a form that gets a submission (partial: %s): 409", async (partial) => {
    const { before, isDone, send } = await createShop();
    const { id } = await send("POST", "/forms", {
      name: "Contact",
      fields: [{ key: "name", type: "name", label: "Name" }],
      settings: { captcha: "none", allow_partial: true },
    });
    await send("POST", `/forms/${id}/publish`);
    before(`remove`, async () => {
      const sent = await send("POST", `/forms/${id}/submissions`, { data: { name: "Mia" }, partial });
      expect(sent.refusal).toMatch(/^20/);
    });
    expect((await send("DELETE", `/forms/${id}`)).refusal).toBe("409 form_has_submissions");
    expect(isDone()).toBe(true);
  });

  it("of a page whose structured data is published: 409", async () => {
    const { before, isDone, send } = await createShop();
    const html = "<html><body><h1>Dark rye</h1><p>Bread of wholemeal rye, £5.20</p></body></html>";
    const page = await send("POST", "/answeros/pages", { html });
    const offers = { "@type": "Offer", price: "5.20", priceCurrency: "GBP" };
    const jsonld = { "@context": "https://schema.org", "@type": "Product", name: "Dark rye", offers };
    const markup = await send("POST", "/answeros/schemas", { page_id: page.id, type: "Product", jsonld });
    before("remove", async () => {
      expect((await send("POST", `/answeros/schemas/${markup.id}/publish`)).refusal).toBe("200");
    });
    expect((await send("DELETE", `/answeros/pages/${page.id}`)).refusal).toBe("409 schema_published");
    expect(isDone()).toBe(true);
  });
});

describe("a limit or a unique name", () => {
  it("of brands, one of which is renamed: 409 name_taken", async () => {
    const { before, isDone, send } = await createShop();
    const { id } = await send("POST", "/answeros/brands", { name: "Crumb" });
    before(":answeros.brand_revision:", async () => {
      expect((await send("PATCH", `/answeros/brands/${id}`, { name: "Loafly" })).refusal).toBe("200");
    });
    expect((await send("POST", "/answeros/brands", { name: "Loafly" })).refusal).toBe("409 name_taken");
    expect(isDone()).toBe(true);
  });

  it("of calendars, the last of which is added meanwhile: 409 limit_reached", async () => {
    const { before, isDone, send } = await createShop();
    const calendar = { name: "Market days", events: [{ date: "2026-09-12", title: "Harvest market" }] };
    for (let count = 0; count < 19; count += 1) await send("POST", "/delivery/calendars", calendar);
    before(":delivery.revisions:", async () => {
      expect((await send("POST", "/delivery/calendars", calendar)).refusal).toBe("201");
    });
    expect((await send("POST", "/delivery/calendars", calendar)).refusal).toBe("409 limit_reached");
    expect(isDone()).toBe(true);
  });
});

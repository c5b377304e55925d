import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createHarness } from "../harness.ts";
import type { Answer, Harness, TestKey } from "../harness.ts";
import { compute, standStill } from "../support/compute.ts";
import { many } from "../support/longest-turn.ts";

// Requests of one customer at the same time: how many of them run, and what they can use of the CPU budget together.

const QUICK = "/v1/delivery/zones";
const SLOW = "/v1/allergens/matrix";
const EXPENSIVE = "/v1/catering/invoices/ageing";
let harness: Harness;
let key: TestKey;
standStill();
beforeEach(async () => {
  harness = await createHarness();
  key = await harness.key({ plan: "free" });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await harness.close();
});

const get = (path: string, caller = key): Promise<Answer> => harness.call("GET", path, { key: caller });

const used = async (): Promise<number> =>
  ((await harness.services.store.peek(`budget.cpu.${key.customerId}`))?.count ?? 0) / 1_000;

/** Lets pages of a collection wait until they are released; `waiting` counts those that do. */
function holdPages(collection: string) {
  const { store } = harness.services;
  const page = store.page.bind(store);
  const held: (() => void)[] = [];
  let isOpen = false;
  vi.spyOn(store, "page").mockImplementation(async (...args) => {
    if (!isOpen && args[2].of === collection) await new Promise<void>((resolve) => held.push(resolve));
    return page(...args);
  });
  return {
    waiting: () => held.length,
    release() {
      isOpen = true;
      for (const one of held) one();
    },
  };
}

it("runs sixteen requests of a route and customer at once, and all of them in the end", async () => {
  const pages = holdPages("allergens.products");
  const other = await harness.key({ plan: "free" });
  const slow = many(30, () => get(SLOW));
  const others = many(2, () => get(SLOW, other));
  await expect.poll(pages.waiting).toBe(18);
  // What the customer requests of another route does not wait for them.
  expect((await get(QUICK)).status).toBe(200);
  expect(pages.waiting()).toBe(18);
  pages.release();
  const answers = await Promise.all([...slow, ...others]);
  expect(answers.map(({ status }) => status)).toEqual(many(32, () => 200));
});

/** Lets requests of a form wait in their handlers until they are released; each has a body of so many bytes, or that one. */
function holdForm(content: number | FormData) {
  const isFile = content instanceof FormData;
  const body = isFile ? content : JSON.stringify({ name: "x".repeat(content) });
  const { store } = harness.services;
  const get = store.get.bind(store);
  const held: (() => void)[] = [];
  let isOpen = false;
  vi.spyOn(store, "get").mockImplementation(async (name, ...more) => {
    if (!isOpen && name.includes(":forms.forms:")) await new Promise<void>((resolve) => held.push(resolve));
    return get(name, ...more);
  });
  let sent = 0;
  return {
    running: () => held.length,
    async send(signal?: AbortSignal, { storeId } = key): Promise<Response> {
      const part = storeId.toLowerCase();
      sent += 1;
      // A form takes sixty in a minute.
      const path = `/api/public/forms/${part}.frm_01JD8Z5T9QK3M4N5P6R7S8T9V${sent % 3}`;
      const headers: HeadersInit = isFile ? {} : { "content-type": "application/json" };
      const init = { method: "POST", body, headers, ...(signal === undefined ? {} : { signal }) };
      return harness.app.fetch(new Request(`http://platform.test${path}`, init));
    },
    release() {
      isOpen = true;
      for (const one of held) one();
    },
  };
}

it("has large bodies wait up to a limit in memory, and refuses more", async () => {
  const form = holdForm(1_000_000);
  const ends: number[] = [];
  // Sixteen run, and 127 are less than the 128 MB that can wait.
  const sent = many(147, async () => {
    const { headers, status } = await form.send();
    ends.push(status);
    return [status, headers.get("retry-after")];
  });
  await expect.poll(() => ends, { timeout: 150_000 }).toEqual(many(4, () => 503));
  expect(form.running()).toBe(16);
  form.release();
  const answers = await Promise.all(sent);
  expect(answers.filter(([status]) => status === 404)).toHaveLength(143);
  expect(answers.filter(([status]) => status === 503)).toEqual(many(4, () => [503, "5"]));
}, 180_000);

// Sixteen of each customer ran: those of ten customers had 2.7 GB in memory.
it("runs four requests with large files at once for a customer, eight in all, and all of them in the end", async () => {
  const file = new FormData();
  file.append("plan", new Blob(["x".repeat(3_000_000)]), "plan.txt");
  const form = holdForm(file);
  const others = [await harness.key({ plan: "free" }), await harness.key({ plan: "free" })];
  const sent = [key, ...others].flatMap((caller, index) =>
    many(6, async () => {
      const { status } = await form.send(undefined, caller);
      return [index, status];
    }),
  );
  await expect.poll(form.running).toBe(8);
  // What has none does not wait for them.
  expect((await get(QUICK)).status).toBe(200);
  expect(form.running()).toBe(8);
  form.release();
  expect(await Promise.all(sent)).toEqual([0, 1, 2].flatMap((index) => many(6, () => [index, 404])));
}, 60_000);

it("forgets requests that wait when their client is gone", async () => {
  const form = holdForm(10);
  const client = new AbortController();
  const sent = many(16, () => form.send());
  await expect.poll(form.running).toBe(16);
  const last = form.send(client.signal);
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.abort();
  expect((await last).status).toBe(503);
  expect(form.running()).toBe(16);
  form.release();
  await Promise.all(sent);
}, 30_000);

it("charges requests that compute for long at the same time, but for the first sixteen", async () => {
  const { store } = harness.services;
  const page = store.page.bind(store);
  vi.spyOn(store, "page").mockImplementation(async (...args) => {
    if (args[2].of === "allergens.products") {
      compute(60);
      harness.clock.advance(250);
    }
    return page(...args);
  });
  await Promise.all(many(30, () => get(SLOW)));
  expect(await used()).toBeGreaterThanOrEqual(14 * 0.06);
  expect(await used()).toBeLessThan(14 * 0.5);
});

it.each([
  [46, 30],
  [5, 0],
])(
  "charges %i ms of each request of a minute %i times at least",
  async (ms, times) => {
    const { store } = harness.services;
    const page = store.page.bind(store);
    vi.spyOn(store, "page").mockImplementation(async (...args) => {
      if (args[2].of === "allergens.products") {
        compute(ms);
        harness.clock.advance(ms);
      }
      return page(...args);
    });
    const second = await harness.key({ customer_id: key.customerId, store_id: key.storeId });
    for (let n = 0; n < 100; n += 1) await get(SLOW, n % 2 === 0 ? key : second);
    expect(await used()).toBeGreaterThanOrEqual((times * ms) / 1_000);
    if (times === 0) expect(await used()).toBe(0);
  },
  30_000,
);

it("admits as many requests at the same time as the rest of the budget is enough for", async () => {
  const pages = holdPages("catering.invoices");
  await harness.services.budgets.charge(key.customerId, "cpu", 117_500);
  const answers = many(4, () => get(EXPENSIVE));
  await expect.poll(pages.waiting).toBe(2);
  expect(await used()).toBe(119.5);
  pages.release();
  // The others waited for what the first ones did not use.
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(many(answers.length, () => 200));
  expect(await used()).toBeLessThan(119);
  expect((await get(EXPENSIVE)).status).toBe(200);
});

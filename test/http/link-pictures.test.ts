import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { onWorkerTaskEnd, queuedTasks, THREADS } from "../../server/lib/worker-tasks.ts";
import { redrawImage } from "../../server/core/image-tasks.ts";
import { createShop, plain } from "../engines/forms/http/shop.ts";
import type { Shop } from "../engines/forms/http/shop.ts";
import { compute, standStill } from "../support/compute.ts";
import { many } from "../support/longest-turn.ts";

// Pictures that anybody can send to a page without a key: who pays for reading them, and how many are read.

let shop: Shop;
let pages: string[];
/** A small file of many pixels, which takes long to read. */
let large: Uint8Array;
let small: Uint8Array;
beforeAll(async () => {
  shop = await createShop();
  const fields = many(3, (n) => ({ key: `f${n}`, type: "file", label: "Photos", max_files: 5 }));
  pages = await Promise.all(
    many(2, async () => {
      const id = await shop.form(
        plain({ fields: [{ key: "name", type: "name", label: "Name" }, ...fields] }),
      );
      return `/api/public/forms/${shop.part}.${id}`;
    }),
  );
  const picture = (side: number) =>
    sharp({ create: { width: side, height: side, channels: 3, background: "#8a4b08" } })
      .png()
      .toBuffer();
  [large, small] = await Promise.all([picture(7_000), picture(20)]);
}, 60_000);
afterAll(() => shop.harness.close());

/** Sends a form as a browser does. */
async function send(
  path: string,
  files: readonly (readonly [field: string, bytes: Uint8Array])[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const body = new FormData();
  body.append("name", "Ada");
  for (const [field, bytes] of files) body.append(field, new File([new Uint8Array(bytes)], "a.png"));
  const init = { method: "POST", body, ...(signal === undefined ? {} : { signal }) };
  const answer = await shop.harness.app.fetch(new Request(`http://platform.test${path}`, init));
  return { status: answer.status, text: await answer.text() };
}

const used = async (): Promise<number> =>
  ((await shop.harness.services.store.peek(`budget.cpu.${shop.key.customerId}`))?.count ?? 0) / 1_000;

/** The tasks that ended in threads while `work` ran. */
async function tasksDuring(work: () => Promise<void>): Promise<string[]> {
  const ended: string[] = [];
  const stop = onWorkerTaskEnd(({ task }) => void ended.push(task));
  await work();
  stop();
  return ended;
}

/** All threads that the customer may have at once, until the function that it returns is called. */
async function occupyThreads(): Promise<() => Promise<void>> {
  const owner = { part: "sto_other", customerId: shop.key.customerId };
  const before = queuedTasks();
  const tasks = many(THREADS - 1, () => redrawImage(owner, new Uint8Array(large)));
  await expect.poll(queuedTasks).toBe(before);
  return async () => void (await Promise.all(tasks));
}

it("charges the customer for reading them", async () => {
  const [path = ""] = pages;
  expect((await send(path, [["f0", small]])).status).toBe(200);
  shop.harness.clock.advance(3_600_000);
  expect(await used()).toBe(0);
  expect((await send(path, [["f0", large]])).status).toBe(200);
  expect(await used()).toBeGreaterThan(0.05);
});

it("refuses them, and nothing else, while half of the budget is used up", async () => {
  const [path = ""] = pages;
  await send(path, [["f0", large]]);
  await shop.harness.services.budgets.charge(shop.key.customerId, "cpu", 100_000_000);
  const refused = await send(path, [["f0", small]]);
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining("CPU seconds per hour")]);
  expect((await send(path, [])).status).toBe(200);
  shop.harness.clock.advance(3_600_000);
  expect((await send(path, [["f0", small]])).status).toBe(200);
});

describe("while the clock stands still", () => {
  standStill();

  it("reserves a second of the budget for the first ones", async () => {
    const [path = ""] = pages;
    const { budgets, store } = shop.harness.services;
    shop.harness.clock.advance(3_600_000);
    const { customerId } = shop.key;
    // Half of the budget, but for a second and a half.
    const half = (120 * 30_000) / 60 / 2;
    const endMs = await budgets.charge(customerId, "cpu", 0);
    const visitors = `${customerId}.visitors.${endMs}`;
    await budgets.charge(visitors, "cpu", (half - 1.5) * 1_000);
    const release = await occupyThreads();
    const sent = many(3, () => send(path, [["f0", small]]));
    await expect.poll(queuedTasks).toBe(1);
    expect((await store.peek(`budget.cpu.${visitors}`))?.count).toBe((half - 0.5) * 1_000);
    await release();
    // The others waited for what the first one did not use.
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await used()).toBeLessThan(half - 0.5);
    shop.harness.clock.advance(3_600_000);
  });

  it("charges answers without files that take long, and has sixteen of them at once", async () => {
    const [path = ""] = pages;
    const { store } = shop.harness.services;
    const [get, held] = [store.get.bind(store), [] as (() => void)[]];
    let isHeld = true;
    const slow = vi.spyOn(store, "get").mockImplementation(async (key, ...more) => {
      if (isHeld && key.includes(":forms.forms:")) {
        await new Promise<void>((resolve) => held.push(resolve));
        compute(60);
      }
      return get(key, ...more);
    });
    const sent = many(20, () => send(path, []));
    await expect.poll(() => held).toHaveLength(16);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(held).toHaveLength(16);
    isHeld = false;
    for (const one of held) one();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(many(20, () => 200));
    slow.mockRestore();
    expect(await used()).toBeGreaterThan(0.5);
    shop.harness.clock.advance(3_600_000);
  });
});

it("reads none where there are more of them than a submission can have", async () => {
  const [path = ""] = pages;
  const files = (count: number) => many(count, (n) => [`f${n % 3}`, small] as const);
  const tasks = await tasksDuring(async () => {
    const refused = await send(path, files(6));
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("A submission can have at most 5 files"),
    ]);
  });
  expect(tasks).toEqual([]);
  expect((await send(path, files(5))).status).toBe(200);
});

it("has turns for the customer, and none for a request whose client is gone", async () => {
  const [path = ""] = pages;
  const release = await occupyThreads();
  const client = new AbortController();
  const sent = send(path, [["f0", small]], { signal: client.signal });
  await expect.poll(queuedTasks).toBe(1);
  client.abort();
  expect(queuedTasks()).toBe(0);
  expect((await sent).status).toBe(422);
  await release();
});

it("reads those of sixteen requests at once for all forms of a store", async () => {
  const release = await occupyThreads();
  const sent = many(20, (n) => send(pages[n % 2] ?? "", [["f0", small]]));
  await expect.poll(queuedTasks, { interval: 1 }).toBe(16);
  // What has no pictures does not wait for them.
  expect((await send(pages[0] ?? "", [])).status).toBe(200);
  expect(queuedTasks()).toBeLessThanOrEqual(16);
  await release();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(many(20, () => 200));
});

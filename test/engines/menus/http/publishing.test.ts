import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { canonicalText } from "../../../../server/engines/menus/rules/canonical.ts";
import type { TreeChange } from "../../../../server/engines/menus/rules/diff-trees.ts";
import { applyDiff } from "../apply-diff.ts";
import { createShop, makeMenu, pointersOf, publish, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let ids: Awaited<ReturnType<typeof makeMenu>>;
beforeEach(async () => {
  shop = await createShop();
  ids = await makeMenu(shop);
});
afterEach(() => shop.harness.close());

const setPrice = (price: number) => shop.patch(`/items/${ids.item}`, { price });
const livePrice = async (at?: string) => {
  const answer = await shop.get(`/${ids.menu}/live${at === undefined ? "" : `?at=${at}`}`);
  return answer.status === 200 ? answer.json.data.categories[0].items[0].price : answer.status;
};
const menuDoc = async () => (await shop.get(`/${ids.menu}`)).json.data;
const tree = async (n: number) => (await shop.get(`/${ids.menu}/versions/${n}`)).json.data.tree;
const log = async () =>
  (await shop.get(`/${ids.menu}/publications`)).json.data.map(
    ({ action, menu_version: version }: { action: string; menu_version: number | null }) =>
      `${action} ${version}`,
  );

describe("menus.publish", () => {
  it("200 takes a version; the draft changes without it", async () => {
    expect(await livePrice()).toBe(404);
    const answer = await shop.post(`/${ids.menu}/publish`, {});
    expect(answer.json.data).toMatchObject({
      menu_version: 1,
      new_version: true,
      notes: [],
      menu: { status: "published", published_version: 1, latest_version: 1, scheduled: null },
    });
    expect(answer.json.data.warnings.map(({ code }: { code: string }) => code)).toEqual([
      "missing_allergen_declaration",
    ]);
    await setPrice(900);
    expect(await livePrice()).toBe(800);
    expect(await publish(shop, ids.menu)).toBe(2);
    expect(await livePrice()).toBe(900);
    const versions = (await shop.get(`/${ids.menu}/versions`)).json.data;
    expect(versions.map(({ n }: { n: number }) => n)).toEqual([2, 1]);
    expect(versions[0]).toMatchObject({ by: shop.key.id, items: 1, categories: 1, chunks: 1 });
    expect((await tree(1)).items[0].price).toBe(800);
  });

  it("200 publishes the same version again while nothing changed", async () => {
    await publish(shop, ids.menu);
    const again = await shop.post(`/${ids.menu}/publish`, {});
    expect(again.json.data).toMatchObject({ menu_version: 1, new_version: false });
    expect(await log()).toEqual(["published 1", "published 1"]);
  });

  it("200 MA16 at an instant: the version of now goes live exactly then", async () => {
    const T = "2026-06-01T12:00:00.000Z";
    await publish(shop, ids.menu);
    await setPrice(900);
    expect(await publish(shop, ids.menu, { at: T })).toBe(2);
    await setPrice(1000);
    expect(await livePrice("2026-06-01T11:59:59.000Z")).toBe(800);
    expect(await livePrice(T)).toBe(900);
    shop.harness.clock.set("2026-06-01T11:59:59.999Z");
    expect(await livePrice()).toBe(800);
    shop.harness.clock.set(T);
    // No job has run: readers have it all the same.
    expect(await livePrice()).toBe(900);
    expect(await menuDoc()).toMatchObject({ published_version: 1, scheduled: { version: 2, at: T } });
    await publish(shop, ids.menu);
    expect(await log()).toEqual(["published 3", "started 2", "scheduled 2", "published 1"]);
  });

  it("422 for an instant that has passed", async () => {
    const answer = await shop.post(`/${ids.menu}/publish`, { at: "2026-06-01T08:59:59.999Z" });
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/at"]]);
  });

  it("200 tells what gives way to a new schedule", async () => {
    await publish(shop, ids.menu, { at: "2026-06-01T12:00:00.000Z" });
    const answer = await shop.post(`/${ids.menu}/publish`, { at: "2026-06-01T13:00:00.000Z" });
    expect(answer.json.data.notes).toEqual([
      "Version 1, scheduled for 2026-06-01T12:00:00.000Z, is replaced by this one.",
    ]);
  });

  it("409 lint_errors while the draft has errors, which lint tells", async () => {
    await shop.patch(`/items/${ids.item}`, { price: null });
    const refused = await shop.post(`/${ids.menu}/publish`, {});
    expect(refusal(refused)).toBe("409 lint_errors");
    expect(refused.json.error.errors[0].detail).toContain(`item_without_price: item ${ids.item}`);
    const lint = (await shop.post(`/${ids.menu}/lint`)).json.data;
    expect([lint.publishable, lint.errors, lint.findings[0].code]).toEqual([false, 1, "item_without_price"]);
    await setPrice(5);
    expect((await shop.post(`/${ids.menu}/lint`)).json.data.publishable).toBe(true);
  });

  it("409 menu_archived, menu_published and has_versions", async () => {
    await publish(shop, ids.menu);
    expect(refusal(await shop.patch(`/${ids.menu}`, { status: "archived" }))).toBe("409 menu_published");
    await shop.post(`/${ids.menu}/unpublish`);
    expect((await shop.patch(`/${ids.menu}`, { status: "archived" })).json.data.status).toBe("archived");
    expect(refusal(await shop.patch(`/${ids.menu}`, { title: "x" }))).toBe("409 menu_archived");
    expect(refusal(await shop.post(`/${ids.menu}/publish`, {}))).toBe("409 menu_archived");
    expect(refusal(await shop.post(`/${ids.menu}/rollback`, { version: 1 }))).toBe("409 menu_archived");
    expect(refusal(await shop.remove(`/${ids.menu}`))).toBe("409 has_versions");
    expect((await shop.patch(`/${ids.menu}`, { status: "draft", title: "x" })).status).toBe(200);
    expect(await publish(shop, ids.menu)).toBe(2);
  });

  it("a change between reading and writing makes the decision be taken anew", async () => {
    const [published] = await Promise.all([
      shop.post(`/${ids.menu}/publish`, {}),
      setPrice(901),
      shop.patch(`/categories/${ids.category}`, { sort_order: 3 }),
    ]);
    expect(published?.status).toBe(200);
    const { items, categories } = await tree(1);
    const draft = (await shop.get(`/${ids.menu}/diff?from=1&to=draft`)).json.data.length;
    // Whatever came first, the version is one state of the draft, and a later change shows in the comparison.
    expect(draft).toBe(Number(items[0].price !== 901) + Number(categories[0].sort_order !== 3));
  });
});

describe("menus.rollback and unpublish", () => {
  it("200 restores an earlier version exactly, warns of what is scheduled, leaves the draft", async () => {
    await publish(shop, ids.menu);
    await setPrice(900);
    await publish(shop, ids.menu);
    await setPrice(1000);
    await publish(shop, ids.menu, { at: "2026-06-01T12:00:00.000Z" });
    const answer = await shop.post(`/${ids.menu}/rollback`, { version: 1 });
    expect(answer.json.data).toMatchObject({
      menu_version: 1,
      notes: ["Version 3, scheduled for 2026-06-01T12:00:00.000Z, still goes live at that time."],
    });
    expect(await livePrice()).toBe(800);
    expect(await livePrice("2026-06-01T12:00:00.000Z")).toBe(1000);
    expect((await shop.get(`/items/${ids.item}`)).json.data.price).toBe(1000);
    expect(await log()).toEqual(["rolled_back 1", "scheduled 3", "published 2", "published 1"]);
    const none = await shop.post(`/${ids.menu}/rollback`, { version: 4 });
    expect([none.status, pointersOf(none)]).toEqual([422, ["#/version"]]);
  });

  it("200 takes a menu down, twice without harm", async () => {
    await publish(shop, ids.menu);
    expect((await shop.post(`/${ids.menu}/unpublish`)).json.data).toMatchObject({
      status: "draft",
      published_version: null,
    });
    expect((await shop.post(`/${ids.menu}/unpublish`)).status).toBe(200);
    expect(refusal(await shop.get(`/${ids.menu}/live`))).toBe("404 not_published");
    expect(await log()).toEqual(["unpublished null", "published 1"]);
  });

  it("200 cancels what is scheduled; 409 not_scheduled when nothing is, or it has started", async () => {
    expect(refusal(await shop.remove(`/${ids.menu}/scheduled`))).toBe("409 not_scheduled");
    await publish(shop, ids.menu, { at: "2026-06-01T12:00:00.000Z" });
    expect((await shop.remove(`/${ids.menu}/scheduled`)).json.data.scheduled).toBeNull();
    expect(await livePrice("2026-06-01T12:00:00.000Z")).toBe(404);
    await publish(shop, ids.menu, { at: "2026-06-01T12:00:00.000Z" });
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    expect(refusal(await shop.remove(`/${ids.menu}/scheduled`))).toBe("409 not_scheduled");
    expect(await livePrice()).toBe(800);
  });
});

describe("versions", () => {
  it("404 for one that is not there", async () => {
    expect((await shop.get(`/${ids.menu}/versions/1`)).status).toBe(404);
    expect((await shop.get("/mnu_none/versions")).status).toBe(404);
    expect((await shop.get(`/${ids.menu}/versions/0`)).status).toBe(422);
  });

  it("200 the difference of two, in pages", async () => {
    await publish(shop, ids.menu);
    const other = await shop.make("/items", { title: "Soup", price: 5 });
    await shop.patch(`/categories/${ids.category}`, { item_ids: [other, ids.item] });
    await setPrice(900);
    await publish(shop, ids.menu);
    const diff = (await shop.get(`/${ids.menu}/diff?from=1&to=2`)).json.data;
    expect(diff).toMatchObject([
      {
        kind: "categories",
        change: "changed",
        from: { item_ids: [ids.item] },
        to: { item_ids: [other, ids.item] },
      },
      { kind: "items", object_id: ids.item, change: "changed", from: { price: 800 }, to: { price: 900 } },
      { kind: "items", object_id: other, change: "added", from: null },
    ]);
    const first = await shop.get(`/${ids.menu}/diff?from=1&to=2&limit=2`);
    const cursor = first.json.meta.pagination.next_cursor;
    const rest = await shop.get(`/${ids.menu}/diff?from=1&to=2&limit=2&cursor=${cursor}`);
    expect([...first.json.data, ...rest.json.data]).toEqual(diff);
    expect((await shop.get(`/${ids.menu}/diff?from=2&to=draft`)).json.data).toEqual([]);
    expect(pointersOf(await shop.get(`/${ids.menu}/diff?from=1&to=3`))).toEqual(["to"]);
    expect((await shop.get(`/${ids.menu}/diff?from=1&to=latest`)).status).toBe(422);
  });
});

describe("histories", () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant("price" as const), price: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ does: fc.constant("title" as const), title: fc.constantFrom("A", "B") }),
    fc.record({ does: fc.constant("publish" as const) }),
    fc.record({ does: fc.constant("rollback" as const), back: fc.nat({ max: 5 }) }),
    fc.record({ does: fc.constant("unpublish" as const) }),
  );

  it("versions never change, a rollback restores exactly, a difference applied to the old gives the new", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        ids = await makeMenu(shop);
        /** Canonical text of each version's tree as it was when it was made. */
        const taken: string[] = [];
        let live: number | null = null;
        for (const each of steps) {
          if (each.does === "price") await setPrice(each.price);
          else if (each.does === "title")
            await shop.patch(`/categories/${ids.category}`, { title: each.title });
          else if (each.does === "publish") {
            live = await publish(shop, ids.menu);
            if (live > taken.length) taken.push(canonicalText(await tree(live)));
          } else if (each.does === "unpublish") {
            await shop.post(`/${ids.menu}/unpublish`);
            live = null;
          } else if (taken.length > 0) {
            live = (each.back % taken.length) + 1;
            expect((await shop.post(`/${ids.menu}/rollback`, { version: live })).status).toBe(200);
          }
          expect((await menuDoc()).published_version).toBe(live);
        }
        const trees = [];
        for (const [at, text] of taken.entries()) {
          trees.push(await tree(at + 1));
          expect(canonicalText(trees[at])).toBe(text);
        }
        expect(new Set(taken.filter((text, at) => text === taken[at + 1])).size).toBe(0);
        if (trees.length < 2) return;
        const changes = (await shop.get(`/${ids.menu}/diff?from=1&to=${trees.length}&limit=100`)).json.data;
        const told: TreeChange[] = changes.map(
          ({ object_id: id, ...change }: { object_id: string } & TreeChange) => ({ ...change, id }),
        );
        expect(canonicalText(applyDiff(trees[0], told))).toBe(taken.at(-1));
      }),
      { numRuns: 12 },
    );
  });
});

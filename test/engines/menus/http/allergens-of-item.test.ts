import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { versions } from "../../../../server/engines/menus/repository.ts";
import { menuAnswers } from "../../../../server/engines/menus/routes/allergens-of-item.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { NO_ENGINE_PORTS } from "../../../../server/core/ports.ts";
import type { KnownAllergens } from "../../../../server/core/known-allergens.ts";
import type { EnginePorts } from "../../../../server/core/ports.ts";
import type { Tx } from "../../../../server/core/tx.ts";
import { many } from "../../../support/longest-turn.ts";
import { containing } from "../fixture.ts";
import { createShop, NOW, publish } from "./shop.ts";
import type { Shop } from "./shop.ts";

const products: Readonly<Record<string, KnownAllergens>> = {
  prd_burger: containing({ milk: ["cheese"], wheat: ["bun"] }),
  prd_sauce: containing({ mustard: ["mustard"] }),
};
/** The ports with an engine that knows these products. */
const ports: EnginePorts = {
  ...NO_ENGINE_PORTS,
  ...menuAnswers,
  allergensOf: (_tx, ids) =>
    Promise.resolve(new Map(ids.flatMap((id) => (products[id] ? [[id, products[id]] as const] : [])))),
};

let shop: Shop;
let item: string;
let group: string;
let noCheese: string;
let sauce: string;
beforeEach(async () => {
  shop = await createShop();
  noCheese = await shop.make("/modifiers", { title: "No cheese", removes: ["milk"] });
  sauce = await shop.make("/modifiers", { title: "Sauce", product_id: "prd_sauce" });
  group = await shop.make("/modifier-groups", { title: "Your way", max: 2, modifier_ids: [noCheese, sauce] });
  item = await shop.make("/items", {
    title: "Burger",
    price: 800,
    product_id: "prd_burger",
    modifier_groups: [{ group_id: group }],
  });
});
afterEach(() => shop.harness.close());

const ask = (selections: readonly unknown[], id = item) =>
  shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), (tx) =>
    ports.allergensOfItem(tx, { menu_item_id: id, selections }, { mode: null, now: Date.parse(NOW) }),
  );
const choose = (id: string, rest: object = {}) => ({ group_id: group, modifier_id: id, ...rest });

describe("what an ordered item contains", () => {
  it("is that of the item with what was chosen", async () => {
    expect(await ask([])).toMatchObject({ title: "Burger", verified: true, allergens: ["milk", "wheat"] });
    expect((await ask([choose(noCheese)]))?.allergens).toEqual(["wheat"]);
    expect((await ask([choose(noCheese), choose(sauce)]))?.allergens).toEqual(["mustard", "wheat"]);
  });

  it("keeps what is removed from a part of it only: no cheese on the left half", async () => {
    const portions = [
      { code: "left", title: "Left half", scale: 0.5 },
      { code: "whole", title: "Whole", scale: 1 },
    ];
    await shop.patch(`/modifier-groups/${group}`, { portions });
    expect((await ask([choose(noCheese, { portion: "left" })]))?.allergens).toEqual(["milk", "wheat"]);
    expect((await ask([choose(noCheese, { portion: "whole" })]))?.allergens).toEqual(["wheat"]);
    expect(await ask([choose(sauce, { portion: "left" })])).toMatchObject({
      verified: true,
      allergens: ["milk", "mustard", "wheat"],
    });
  });

  it("keeps what is removed with a pre-modifier: light on no cheese", async () => {
    await shop.patch(`/modifier-groups/${group}`, { pre_modifiers: [{ code: "light", title: "Light" }] });
    expect(await ask([choose(noCheese, { pre_modifier: "light" })])).toMatchObject({
      verified: true,
      allergens: ["milk", "wheat"],
    });
    expect((await ask([choose(sauce, { pre_modifier: "light" })]))?.allergens).toEqual([
      "milk",
      "mustard",
      "wheat",
    ]);
  });

  it("keeps what is removed from an added part: a side without cheese", async () => {
    const inner = await shop.make("/modifier-groups", { title: "Without", modifier_ids: [noCheese] });
    await shop.patch(`/modifiers/${sauce}`, { nested_group_ids: [inner] });
    const selections = [{ group_id: inner, modifier_id: noCheese }];
    expect((await ask([choose(sauce, { selections })]))?.allergens).toEqual(["milk", "mustard", "wheat"]);
    // What is nested in a removal concerns the dish as well.
    const noSauce = await shop.make("/modifiers", {
      title: "No sauce",
      removes: ["egg"],
      nested_group_ids: [inner],
    });
    await shop.patch(`/modifier-groups/${group}`, { modifier_ids: [noSauce] });
    expect((await ask([choose(noSauce, { selections })]))?.allergens).toEqual(["wheat"]);
  });

  it("is unverified where nobody knows a part", async () => {
    await shop.patch(`/modifiers/${sauce}`, { product_id: "prd_unknown" });
    expect(await ask([choose(sauce)])).toMatchObject({ verified: false, complete_in: [] });
  });

  it("counts what the published menu sells, whatever the draft says", async () => {
    const menu = await shop.make("", { title: "Menu" });
    await shop.make("/categories", { title: "Kitchen", menu_ids: [menu], item_ids: [item] });
    await publish(shop, menu);
    await shop.patch(`/items/${item}`, { product_id: "prd_sauce" });
    expect((await ask([]))?.allergens).toEqual(["milk", "mustard", "wheat"]);
    await publish(shop, menu);
    expect((await ask([]))?.allergens).toEqual(["mustard"]);
    await shop.patch(`/items/${item}`, { product_id: "prd_burger", modifier_groups: [] });
    expect((await ask([choose(sauce)]))?.allergens).toEqual(["mustard"]);
    await shop.post(`/${menu}/unpublish`, {});
    expect(await ask([choose(sauce)])).toBeNull();
    expect((await ask([]))?.allergens).toEqual(["milk", "wheat"]);
  });

  it("is found for several at once with one reading of each menu", async () => {
    for (const title of ["Lunch", "Dinner"]) {
      const menu = await shop.make("", { title });
      await shop.make("/categories", { title: "Kitchen", menu_ids: [menu], item_ids: [item] });
      await publish(shop, menu);
    }
    const read: string[] = [];
    const asked = [[], [choose(noCheese)], [choose(sauce)]];
    const answers = await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), (tx) => {
      const watched: Tx = {
        ...tx,
        require(collection, id) {
          if (collection.name === versions.name) read.push(id);
          return tx.require(collection, id);
        },
      };
      return Promise.all(
        asked.map((selections) =>
          ports.allergensOfItem(
            watched,
            { menu_item_id: item, selections },
            { mode: null, now: Date.parse(NOW) },
          ),
        ),
      );
    });
    expect(answers).toEqual([await ask([]), await ask([choose(noCheese)]), await ask([choose(sauce)])]);
    expect(answers.map((answer) => answer?.allergens)).toEqual([
      ["milk", "wheat"],
      ["wheat"],
      ["milk", "mustard", "wheat"],
    ]);
    expect(read).toHaveLength(2);
  });

  it("is found for one after another, so that what is known of the products of one is in memory", async () => {
    let [running, most] = [0, 0];
    const counting: EnginePorts = {
      ...ports,
      async allergensOf(tx, ids, context) {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return ports.allergensOf(tx, ids, context);
      },
    };
    const questions = many(5, () => ({ menu_item_id: item, selections: [choose(sauce)] }));
    const answers = await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), (tx) =>
      Promise.all(
        questions.map((each) => counting.allergensOfItem(tx, each, { mode: null, now: Date.parse(NOW) })),
      ),
    );
    expect(answers.map((answer) => answer?.allergens)).toEqual(many(5, () => ["milk", "mustard", "wheat"]));
    expect(most).toBe(1);
  });

  it("is nothing for an item that is not there, or a choice that cannot be made", async () => {
    expect(await ask([], "itm_none")).toBeNull();
    expect(await ask([choose("mod_none")])).toBeNull();
    expect(await ask([choose(sauce, { quantity: 2 })])).toBeNull();
    expect(await ask(["sauce"])).toBeNull();
  });
});

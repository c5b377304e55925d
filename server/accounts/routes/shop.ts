import { z } from "zod";

import { defineAccountsRoute } from "../context.ts";
import { item, ok } from "../../core/reply.ts";
import { DEMO_SHOP, NEW_SHOP, Shop, shopFields, shops } from "../../core/shop.ts";
import { mergePatch } from "../../lib/merge-patch.ts";

const ShopView = Shop.extend({
  version: z.int().nonnegative().meta({ description: "0 until the profile is saved" }),
});

const get = defineAccountsRoute({
  id: "account.store.get",
  method: "GET",
  path: "/store",
  summary: "Retrieve the profile of the store",
  description:
    "Returns null in all fields, with version 0, until it is saved. Test data have a profile of their own.",
  data: ShopView,
  example: {},
  async handle(_, { tx }) {
    const stored = await tx.get(shops, "shop");
    return stored === null ? ok({ ...NEW_SHOP, version: 0 }) : item(stored);
  },
});

const update = defineAccountsRoute({
  id: "account.store.update",
  method: "PATCH",
  path: "/store",
  scope: "manage",
  summary: "Update the profile of the store",
  description:
    "Name, address, time zone, currency and language apply in all engines whose own settings do not override them. Existing contracts, orders and invoices do not change.",
  body: z.strictObject(shopFields).partial(),
  data: ShopView,
  errors: [{ type: "precondition_failed", when: "The version in If-Match is not the current version" }],
  example: { body: { name: DEMO_SHOP.name, time_zone: "Europe/London", currency: "GBP" } },
  async handle({ body }, ctx) {
    const stored = await ctx.tx.get(shops, "shop");
    ctx.requireVersion(stored?.version ?? 0);
    const next = { ...mergePatch(stored?.value ?? NEW_SHOP, body), updated_at: ctx.nowAt };
    return item(ctx.tx.save(shops, stored, next));
  },
});

export const shopRoutes = [get, update];

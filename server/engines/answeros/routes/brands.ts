import { requireRoom } from "../../../core/room.ts";
import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { empty } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { brandRevisions, brands } from "../repository.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { Brand } from "../schema/tracking.ts";
import { full } from "./parts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const BrandView = withVersion(Brand);
const { name, aliases, domains, own } = Brand.shape;
const taken = conflictWhen("name_taken", "Another brand has one of these names");

const brandResource = resource({
  id: "answeros.brands",
  collection: brands,
  view: BrandView,
  example: "brd_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listBrands = brandResource.list({ summary: "List the store's own and competing brands" });

const createBrand = brandResource.create({
  summary: "Track a brand",
  description:
    "Answers are searched for its name and aliases (whole words, ignoring case and accents, longest first) and its " +
    "domains. A job recomputes stored answers.",
  body: z.strictObject({
    name,
    aliases: aliases.default([]),
    domains: domains.default([]),
    own: own.default(false),
  }),
  errors: [full, taken],
  example: { body: { name: "Loafly", aliases: [], domains: ["loafly.example"] } },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, brands, { max: ANSWEROS_LIMITS.brands, noun: "brands" });
    await claimNames(ctx, body);
    return {
      ...newResource(ctx.newId("brd"), ctx.nowAt),
      ...body,
    };
  },
});

const getBrand = brandResource.get({ summary: "Show a brand" });

const updateBrand = brandResource.update({
  summary: "Change a brand",
  description: "A job recomputes stored answers; visibility reports when it is done.",
  body: z.strictObject({ name, aliases, domains, own }).partial(),
  errors: [taken],
  example: { body: { aliases: ["Crumb Bakery"] } },
  change: async (before, body, ctx) => {
    const after = { ...mergePatch<Brand>(before, body), updated_at: ctx.nowAt };
    await claimNames(ctx, after);
    return after;
  },
});

const removeBrand = brandResource.custom.remove({
  summary: "Stop tracking a brand",
  example: { params: { id: "brd_01JD8Z5T9QK3M4N5P6R7S8T9V1" } },
  handle: async ({ params }, ctx) => {
    ctx.tx.remove(brands, await ctx.current(brands, params.id));
    await markChanged(ctx);
    return empty();
  },
});

/** Increments the revision of the brands: sums of the previous one are recomputed. */
async function markChanged({ tx, nowAt }: Ctx): Promise<void> {
  const before = await tx.get(brandRevisions, "brands");
  const value = { id: "brands" as const, revision: (before?.value.revision ?? 1) + 1, at: nowAt };
  tx.save(brandRevisions, before, value);
}

type Names = Pick<Brand, "name" | "aliases">;

/** Throws 409 `name_taken`: a name shared by two brands would be counted for an arbitrary one. */
async function claimNames(ctx: Ctx, brand: Names & { readonly id?: string }): Promise<void> {
  // First, so that the commit notices a brand that changes after the others are read.
  await markChanged(ctx);
  const others = (await ctx.tx.peekAll(brands)).map(({ value }) => value).filter(({ id }) => id !== brand.id);
  const plain = ({ name, aliases }: Names): string[] => [name, ...aliases].map((one) => one.toLowerCase());
  const mine = new Set(plain(brand));
  for (const other of others) {
    const shared = plain(other).find((one) => mine.has(one));
    if (shared !== undefined) {
      throw conflict("name_taken", `${other.id} already has the name “${shared}”. Choose another one.`);
    }
  }
}

export const brandRoutes = [listBrands, createBrand, getBrand, updateBrand, removeBrand];

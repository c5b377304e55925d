import { z } from "zod";

import { timeOrder } from "../../../core/collection.ts";
import { mapPage } from "../../../core/map-page.ts";
import { fail } from "../../../lib/errors.ts";
import { item, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, Instant, listFields, ListQuery, withVersion } from "../../../core/schema.ts";
import { productVersions, revisionFacet } from "../repository.ts";
import { ProductVersion } from "../schema/history.ts";

const Entry = ProductVersion.omit({ product: true });
const missing = { type: "not_found", when: "There never was such a product" } as const;

const listHistory = defineRoute({
  id: "allergens.history.list",
  method: "GET",
  path: "/products/:id/history",
  summary: "List the changes of a product, the newest first",
  description: "Also of a product that was deleted. Entries are written once and never change.",
  query: ListQuery,
  data: z.array(Entry),
  errors: [missing],
  example: { params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params, query }, { tx }) {
    const own = { index: "product", value: filedId(params.id), ...query };
    const page = await mapPage(tx, productVersions, own, ({ value }) => toEntry(value));
    if (page.items.length === 0 && query.cursor === undefined) throw fail("not_found", "No such resource.");
    return values(page.items, page);
  },
});

const getVersion = defineRoute({
  id: "allergens.history.get",
  method: "GET",
  path: "/products/:id/history/:revision",
  summary: "Show a product as a change left it",
  params: z.object({ id: Id, revision: z.coerce.number().pipe(z.int().min(1)) }),
  data: withVersion(ProductVersion),
  errors: [{ type: "not_found", when: "No such product, or no such revision of it" }],
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0", revision: "2" },
  },
  async handle({ params }, { tx }) {
    const value = revisionFacet(filedId(params.id), params.revision);
    const { items } = await tx.peekPage(productVersions, { index: "product", value, limit: 1 });
    const [found] = items;
    if (found === undefined) throw fail("not_found", "No such resource.");
    return item(found);
  },
});

const listChanges = routesOf({ id: "allergens.changes", view: Entry }).list({
  summary: "List what changed since an instant, over all products, the oldest first",
  description:
    "Ask again with since set to the `at` of the last entry; an entry may come twice, never too few.",
  query: z.object({
    ...listFields,
    since: Instant.optional().meta({ description: "From this instant on. Default: from the beginning" }),
  }),
  async handle({ query: { since, ...query } }, { tx }) {
    const from = since === undefined ? undefined : timeOrder(since);
    const feed = { index: "feed", ...query, from };
    const page = await mapPage(tx, productVersions, feed, ({ value }) => toEntry(value));
    return values(page.items, page);
  },
});

/** An id out of a path as an index files it: one that no id of ours can be finds nothing. */
const filedId = (id: string): string => (/^[A-Za-z0-9_.-]{1,64}$/.test(id) ? id : "none");

function toEntry(version: ProductVersion): z.input<typeof Entry> {
  const { product: _product, ...entry } = version;
  return entry;
}

export const historyRoutes = [listHistory, getVersion, listChanges];

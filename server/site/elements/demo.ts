import { z } from "zod";

import { runChange } from "../../accounts/change.ts";
import type { Store } from "../../accounts/collections.ts";
import { customers, keys } from "../../accounts/collections.ts";
import { issueKey } from "../../accounts/keys/keys.ts";
import { storePartition } from "../../core/partitions.ts";
import { fail } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { Engine } from "../../core/engine.ts";
import type { Deps } from "../../operations/deps.ts";
import { DEMO_SHOP_NAME } from "../../core/shop.ts";
import { findSeedStore } from "../../operations/seed.ts";
import { page } from "../pages/layout.ts";

const KEY_NAME = "Demo storefront";

/** `/demo`: the demo shop as its guests see it, built from nothing but the elements and a publishable key. */
export const demoRoute = defineOperationsRoute({
  id: "pages.demo.get",
  method: "GET",
  path: "/demo",
  summary: "Demo storefront",
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  example: {},
  async handle(_input, { deps, now }) {
    const store = await findSeedStore(deps, null);
    if (store === null) throw fail("not_found", "This server has no demo data.");
    const key = await demoKey(deps, store, now);
    const part = storePartition(store.id, "live");
    const ids = demoIds(await deps.loadEngines(["menus", "forms", "reviews"]), now);
    return page({
      title: DEMO_SHOP_NAME,
      scripts: [`/elements.js?key=${key}`],
      body: storefront({ ...ids, form: `${part}.${ids.form}` }),
    });
  },
});

/** The publishable key of the page; issued at the first visit. */
async function demoKey(deps: Deps, store: Store, now: number): Promise<string> {
  return runChange(deps, { actor: "system", now }, async (change) => {
    const { items } = await change.tx.peekPage(keys, { index: "live", value: store.customer_id, limit: 100 });
    const known = items.find(({ value }) => value.name === KEY_NAME && value.store_id === store.id);
    if (known?.value.public_key != null) return known.value.public_key;
    const customer = await change.tx.require(customers, store.customer_id);
    const issued = await issueKey(change, {
      customer: customer.value,
      store,
      name: KEY_NAME,
      kind: "publishable",
      scopes: deps.openScopes,
      mode: "live",
      tier: null,
      expires_at: null,
      pending: false,
      activates_at: null,
      replaces: null,
    });
    return issued.plaintext;
  });
}

interface DemoIds {
  readonly menu: string;
  readonly form: string;
  readonly product: string;
}

const Reviewed = z.object({ target: z.object({ id: z.string() }) });

/** What the page shows, by the demo data of the engines; their ids are the same in every run. */
function demoIds(engines: readonly Engine[], now: number): DemoIds {
  const first = (engine: string, collection: string): unknown =>
    engines
      .find(({ name }) => name === engine)
      ?.seed(now)
      .find((set) => set.collection.name === collection)?.values[0];
  const idOf = (value: unknown): string => z.object({ id: z.string() }).parse(value).id;
  return {
    menu: idOf(first("menus", "menus.menus")),
    form: idOf(first("forms", "forms.forms")),
    product: Reviewed.parse(first("reviews", "reviews.reviews")).target.id,
  };
}

const part = (title: string, use: string, element: Html): Html =>
  html`<section>
    <h2>${title}</h2>
    ${element}
    <details>
      <summary>Markup</summary>
      <pre>${use}</pre>
    </details>
  </section>`;

const storefront = ({ menu, form, product }: DemoIds): Html =>
  html`<h1>${DEMO_SHOP_NAME}</h1>
    <p class="lead">
      A storefront of <a href="/docs">this API</a>: the page is static, and each part is one element with a
      publishable key.
    </p>
    ${part("Menu", `<sf-menu menu="${menu}"></sf-menu>`, html`<sf-menu menu="${menu}"></sf-menu>`)}
    ${part("Allergens", "<sf-allergens></sf-allergens>", html`<sf-allergens></sf-allergens>`)}
    ${part(
      "Delivery",
      `<sf-delivery postcode="SW1A 1AA" basket-total="2999" hold></sf-delivery>`,
      html`<sf-delivery postcode="SW1A 1AA" basket-total="2999" hold></sf-delivery>`,
    )}
    ${part(
      "Reviews",
      `<sf-reviews target="${product}"></sf-reviews>`,
      html`<sf-reviews target="${product}"></sf-reviews>`,
    )}
    ${part("Loyalty", "<sf-tier></sf-tier>", html`<sf-tier></sf-tier>`)}
    ${part("Contact", `<sf-form form="${form}"></sf-form>`, html`<sf-form form="${form}"></sf-form>`)}`;

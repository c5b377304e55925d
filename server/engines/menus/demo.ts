import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { demoCalendars, demoCategories, demoItems, demoSchedules } from "./data/demo-food.ts";
import type { DemoProducts } from "./data/demo-food.ts";
import { DEMO_IDS } from "./data/demo-ids.ts";
import { demoGroups, demoModifiers, demoPriceLevels, demoStock } from "./data/demo-modifiers.ts";
import { canonicalText, hashTree } from "./rules/canonical.ts";
import { cutTree } from "./rules/cut-tree.ts";
import type { Catalogue } from "./rules/cut-tree.ts";
import { packText } from "./rules/pack-tree.ts";
import type { Menu } from "./schema.ts";
import type { Connection } from "./schema/connection.ts";
import type { Settings } from "./schema/settings.ts";
import type { MenuVersion, Publication } from "./schema/versions.ts";
import { newResource } from "../../lib/new-resource.ts";

/** Products of the allergens demo by item; a test of that engine keeps both consistent. */
const PRODUCTS: DemoProducts = {
  sourdough: "prd_01KDVDNA00RRRRRRRRRRRRRRSN",
  croissant: "prd_01KDVDNA00RRRRRRRRRRRRRRSM",
  almondCroissant: "prd_01KDVDNA00RRRRRRRRRRRRRRSK",
  cinnamonBun: "prd_01KDVDNA00RRRRRRRRRRRRRRSJ",
  rye: "prd_01KDVDNA00RRRRRRRRRRRRRRSH",
  baguette: "prd_01KDVDNA00RRRRRRRRRRRRRRSG",
  porridge: "prd_01KDVDNA00RRRRRRRRRRRRRRSE",
  eggs: "prd_01KDVDNA00RRRRRRRRRRRRRRSD",
  baconRoll: "prd_01KDVDNA00RRRRRRRRRRRRRRSC",
  hamSandwich: "prd_01KDVDNA00RRRRRRRRRRRRRRSB",
  burger: "prd_01KDVDNA00RRRRRRRRRRRRRRSA",
  wings: "prd_01KDVDNA00RRRRRRRRRRRRRRS9",
  pizza: "prd_01KDVDNA00RRRRRRRRRRRRRRS8",
  soup: "prd_01KDVDNA00RRRRRRRRRRRRRRS7",
  salad: "prd_01KDVDNA00RRRRRRRRRRRRRRS6",
  espresso: "prd_01KDVDNA00RRRRRRRRRRRRRRS5",
  orangeJuice: "prd_01KDVDNA00RRRRRRRRRRRRRRS3",
  beer: "prd_01KDVDNA00RRRRRRRRRRRRRRS2",
};

/** The demo shop at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoMenus(now: number) {
  const nowAt = toInstant(now);
  const catalogue: Catalogue = {
    categories: demoCategories(nowAt),
    items: demoItems(nowAt, PRODUCTS),
    modifier_groups: demoGroups(nowAt),
    modifiers: demoModifiers(nowAt),
    schedules: demoSchedules(nowAt),
    calendars: demoCalendars(nowAt),
    price_levels: demoPriceLevels(nowAt),
  };
  const menus = demoMenuDocs(nowAt);
  const published = menus.map((menu) => publishDemo(menu, catalogue));
  return {
    ...catalogue,
    menus,
    settings: {
      id: "settings",
      default_locale: "en",
      time_zone: "Europe/London",
      currency: "GBP",
      kcal_labelling: "england",
      low_threshold: 5,
      updated_at: nowAt,
    } satisfies Settings,
    stock: demoStock(nowAt, toInstant(now + DAY_MS)),
    versions: published.map(({ version }) => version),
    chunks: published.flatMap(({ chunks }) => chunks),
    publications: published.map(({ publication }) => publication),
    connections: [demoConnection(nowAt)],
    connectionSecrets: [{ id: DEMO_IDS.connections.marketplace, secrets: [DEMO_SECRET] }],
  };
}

/** A channel that nothing has been published to; the example secret of Standard Webhooks. */
const demoConnection = (nowAt: string): Connection => ({
  ...newResource(DEMO_IDS.connections.marketplace, nowAt),
  title: "Delivery marketplace",
  url: "https://menus.example.com/hooks/platform",
  menu_id: DEMO_IDS.menus.day,
  channel: "delivery",
  format: "deliverect",
  locale: null,
  publication: null,
  online_version: null,
  stock: { sent_at: null, attempts: 0, next_attempt_at: null, error: null },
});
const DEMO_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function demoMenuDocs(nowAt: string): Menu[] {
  const { categories: C, menus: M, schedules: S } = DEMO_IDS;
  const menu = (
    id: string,
    title: Menu["title"],
    categoryIds: readonly string[],
    rest: Partial<Menu> = {},
  ): Menu => ({
    ...newResource(id, nowAt),
    title,
    description: null,
    channels: [],
    currency: "GBP",
    time_zone: "Europe/London",
    schedule_ids: [],
    category_ids: [...categoryIds],
    price_level_id: null,
    valid_from: null,
    valid_until: null,
    audience: "all",
    status: "published",
    latest_version: 1,
    published_version: 1,
    published_at: nowAt,
    scheduled: null,
    ...rest,
  });
  return [
    menu(M.day, { en: "Bakery and kitchen", cy: "Popty a chegin" }, [
      C.breads,
      C.pastries,
      C.breakfast,
      C.kitchen,
      C.drinks,
    ]),
    menu(M.late, { en: "Late kitchen" }, [C.late], {
      channels: ["pickup", "delivery"],
      schedule_ids: [S.night],
    }),
  ];
}

function publishDemo(
  menu: Menu,
  catalogue: Catalogue,
): {
  readonly version: MenuVersion;
  readonly chunks: { id: string; data: string }[];
  readonly publication: Publication;
} {
  const tree = cutTree(menu, catalogue);
  const text = canonicalText(tree);
  const pieces = packText(text) ?? [];
  const id = `${menu.id}.1`;
  const times = { created_at: menu.created_at, updated_at: menu.updated_at };
  return {
    version: {
      id,
      ...times,
      menu_id: menu.id,
      n: 1,
      by: null,
      hash: hashTree(tree),
      categories: tree.categories.length,
      items: tree.items.length,
      modifiers: tree.modifiers.length,
      bytes: Buffer.byteLength(text),
      chunks: pieces.length,
    },
    chunks: pieces.map((data, at) => ({ id: `${id}.${at}`, data })),
    publication: {
      id: menu.id === DEMO_IDS.menus.day ? DEMO_IDS.publications.day : DEMO_IDS.publications.late,
      ...times,
      menu_id: menu.id,
      action: "published",
      menu_version: 1,
      at: menu.created_at,
      by: null,
      late_by_ms: null,
    },
  };
}

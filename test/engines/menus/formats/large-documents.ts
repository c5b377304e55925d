import { many } from "../../../support/longest-turn.ts";
import type { Document } from "../../../../server/engines/menus/formats/formats.ts";

type Large = readonly [name: string, format: Document["format"], data: object];

const text = (en: string) => ({ translations: { en } });
const category = (id: string, more: object = {}) => ({
  type: "CATEGORY",
  id,
  category_data: { name: "C", ...more },
});
const batches = (count: number, object: (id: number) => object) => ({
  batches: many(count / 1_000, (batch) => ({
    objects: many(1_000, (index) => object(batch * 1_000 + index)),
  })),
});
const price = { price_money: { amount: 1, currency: "GBP" } };

/** Documents of at most 1 MB in which one list or reference is repeated very often. */
export const LARGE: readonly Large[] = [
  ["Square categories", "square", batches(10_000, (id) => category(`c${id}`))],
  [
    "a chain of Square categories",
    "square",
    batches(8_000, (id) => category(`c${id}`, { parent_category: { id: `c${id + 1}` } })),
  ],
  [
    "Square menus with a category each",
    "square",
    batches(6_000, (id) =>
      category(
        `c${id}`,
        id < 3_000 ? { category_type: "MENU_CATEGORY" } : { parent_category: { id: `c${id - 3_000}` } },
      ),
    ),
  ],
  [
    "one category, 20,000 times in a Square item",
    "square",
    {
      objects: [
        category("a"),
        {
          type: "ITEM",
          id: "i",
          item_data: {
            name: "I",
            categories: many(20_000, () => ({ id: "a" })),
            variations: [{ id: "v", item_variation_data: { name: "V", ...price } }],
          },
        },
      ],
    },
  ],
  [
    "Square lists and default modifiers",
    "square",
    batches(4_000, (id) => ({
      type: "MODIFIER_LIST",
      id: `l${id}`,
      modifier_list_data: {
        name: "L",
        modifiers: many(id < 70 ? 100 : 0, (at) => ({
          id: `m${id}_${at}`,
          modifier_data: { name: "M", on_by_default: true },
        })),
      },
    })),
  ],
  [
    "one category, 20,000 times in a Deliverect product",
    "deliverect",
    {
      products: [{ productType: 1, plu: "p", name: "P", price: 1, posCategoryIds: many(20_000, () => "a") }],
      categories: [{ posCategoryId: "a", name: "A" }],
    },
  ],
  [
    "a chain of Deliverect groups, each listed a hundred times",
    "deliverect",
    {
      products: [
        ...many(150, (id) => ({
          productType: 3,
          plu: `g${149 - id}`,
          name: "G",
          subProducts: many(100, () => `m${149 - id}`),
        })),
        ...many(150, (id) => ({
          productType: 2,
          plu: `m${id}`,
          name: "M",
          price: 1,
          subProducts: many(100, () => `g${Math.min(149, id + 1)}`),
        })),
      ],
    },
  ],
  [
    "a Deliverect menu that lists products often",
    "deliverect_menu",
    {
      menus: [
        {
          menu: "M",
          menuId: "m",
          categories: many(85, (id) => ({
            _id: `c${id}`,
            name: "C",
            products: many(500, () => "b"),
            subProducts: many(500, () => "c"),
          })),
          products: Object.fromEntries(
            many(1_900, (id) => [`a${id}`, { name: "P", plu: `p${id}`, price: 1, productType: 1 }]),
          ),
        },
      ],
    },
  ],
  [
    "Uber Eats prices of one menu",
    "uber",
    {
      menus: [{ id: "m", title: text("M") }],
      items: many(80, (id) => ({
        id: `i${id}`,
        title: text("I"),
        price_info: {
          price: 1,
          overrides: many(200, () => ({ context_type: "MENU", context_value: "m", price: 1 })),
        },
      })),
    },
  ],
  [
    "an Uber Eats option with many texts and tags in many groups",
    "uber",
    {
      menus: [],
      items: [
        {
          id: "i",
          title: { translations: Object.fromEntries(many(600, (id) => [`x${id}`, "I"])) },
          price_info: { price: 1 },
          nutritional_info: { allergens: many(100, () => "none") },
        },
      ],
      modifier_groups: many(400, (id) => ({
        id: `g${id}`,
        title: text("G"),
        modifier_options: many(100, () => ({ id: "i" })),
      })),
    },
  ],
  [
    "Otter prices of one service",
    "otter",
    {
      menus: {},
      items: Object.fromEntries(
        many(35, (id) => [
          `i${id}`,
          {
            id: `i${id}`,
            name: "I",
            price: { currencyCode: "GBP", amount: 1 },
            priceOverrides: many(20, () => ({
              rules: many(20, () => ({ externalServiceSlug: "s" })),
              amount: 1,
            })),
          },
        ]),
      ),
    },
  ],
  [
    "Toast items at the price of a menu",
    "toast",
    {
      menus: many(2, (menu) => ({
        name: "M",
        guid: `m${menu}`,
        menuGroups: many(12, (group) => ({
          name: "G",
          guid: `g${menu}_${group}`,
          menuItems: many(500, (id) => ({
            name: "I",
            guid: `i${group}_${id}`,
            price: 1 + menu,
            pricingStrategy: "MENU_SPECIFIC_PRICE",
          })),
        })),
      })),
    },
  ],
  [
    "a chain of Toast groups",
    "toast",
    {
      menus: [
        {
          name: "M",
          guid: "m",
          menuGroups: [
            {
              name: "G",
              guid: "g",
              menuItems: [{ name: "I", guid: "i", price: 1, modifierGroupReferences: [0] }],
            },
          ],
        },
      ],
      modifierGroupReferences: Object.fromEntries(
        many(1_000, (id) => [
          id,
          { name: "G", guid: `g${id}`, referenceId: id, modifierOptionReferences: many(60, () => id) },
        ]),
      ),
      modifierOptionReferences: Object.fromEntries(
        many(1_000, (id) => [
          id,
          { name: "O", guid: `o${id}`, referenceId: id, modifierGroupReferences: [(id + 1) % 1_000] },
        ]),
      ),
    },
  ],
];

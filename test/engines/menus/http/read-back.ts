import { exponentOf } from "../../../../server/engines/menus/formats/decimal.ts";
import type { MenuTree } from "../../../../server/engines/menus/schema/tree.ts";
import type { Shop } from "./shop.ts";

type Group = MenuTree["modifier_groups"][number];
type Item = MenuTree["items"][number];
type Level = MenuTree["price_levels"][number];

/** Everything that a store sells. */
export interface Sold {
  readonly menus: readonly MenuTree["menu"][];
  readonly categories: readonly MenuTree["categories"][number][];
  readonly items: readonly Item[];
  readonly groups: readonly Group[];
  readonly modifiers: readonly MenuTree["modifiers"][number][];
  readonly levels: readonly Level[];
  readonly schedules: readonly Omit<MenuTree["schedules"][number], "exceptions">[];
  readonly stock: readonly {
    readonly id: string;
    readonly suspensions: readonly { until: string | null }[];
  }[];
}

export async function readSold(shop: Shop): Promise<Sold> {
  const list = async (path: string) => {
    const answer = await shop.get(`${path}?limit=100`);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.json.data;
  };
  return {
    menus: await list(""),
    categories: await list("/categories"),
    items: await list("/items"),
    groups: await list("/modifier-groups"),
    modifiers: await list("/modifiers"),
    levels: await list("/price-levels"),
    schedules: await list("/schedules"),
    stock: await list("/stock"),
  };
}

/** What is sold, as a person checks it: times, prices, tax, limits and stock, in an order of its own. */
export function linesOf(sold: Sold, currency: string): string[] {
  const byTitle = <T>(all: readonly T[], lines: (one: T) => string[]): string[] =>
    all
      .map((one) => lines(one).join("\n"))
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((text) => text.split("\n"));
  return [
    ...byTitle(sold.menus, (menu) => [
      `menu ${say(menu)} | ${menu.channels.join(",") || "any channel"} | ${hours(sold, menu.schedule_ids) ?? "always"}`,
      ...menu.category_ids.flatMap((id) => categoryLines(sold, id, "  ")),
    ]),
    ...byTitle(sold.items, (item) => itemLines(sold, item, currency)),
    ...byTitle(sold.groups, (group) => [groupLine(sold, group, currency)]),
  ];
}

/** A list has titles in one language, a single resource in all. */
const say = ({ title }: { readonly title: Readonly<Record<string, string>> | string }): string =>
  typeof title === "string" ? title : (Object.values(title)[0] ?? "");
const find = <T extends { readonly id: string }>(all: readonly T[], id: string | null): T | undefined =>
  all.find((each) => each.id === id);
const titles = (
  all: readonly { readonly id: string; readonly title: Readonly<Record<string, string>> }[],
  ids: readonly string[],
): string => ids.map((id) => say(find(all, id) ?? { title: { en: `?${id}` } })).join(", ");

function hours({ schedules }: Sold, ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  const texts = ids.map((id) => {
    const schedule = find(schedules, id);
    const rules = (schedule?.rules ?? []).map(({ days, start, end }) => `${days.join(",")} ${start}-${end}`);
    const from = schedule?.valid_from == null ? "" : ` from ${schedule.valid_from}`;
    const until = schedule?.valid_until == null ? "" : ` until ${schedule.valid_until}`;
    return `${rules.join("; ")}${from}${until}`;
  });
  return texts.join(" and ");
}

function categoryLines(sold: Sold, id: string, indent: string): string[] {
  const category = find(sold.categories, id);
  if (category === undefined) return [`${indent}?`];
  const times = hours(sold, category.schedule_ids);
  const head = `${say(category)}${category.visible ? "" : " hidden"}${times === null ? "" : ` ${times}`}`;
  const children = sold.categories
    .filter(({ parent_id: parent }) => parent === id)
    .sort((a, b) => a.sort_order - b.sort_order);
  return [
    `${indent}${head}: ${titles(sold.items, category.item_ids)}`.trimEnd(),
    ...children.flatMap((child) => categoryLines(sold, child.id, `${indent}  `)),
  ];
}

function itemLines(sold: Sold, item: Item, currency: string): string[] {
  const price = item.price === null ? "by size" : money(item.price, currency);
  const times = hours(sold, item.schedule_ids);
  const most = item.max_per_order === null ? "" : `, at most ${item.max_per_order}`;
  const when = times === null ? "" : `, ${times}`;
  const out = stockText(sold, item.id);
  const tax = item.tax_inclusive ? "included" : "added";
  return [
    `${say(item)} ${price}, tax ${tax}${most}${when}${out === "" ? "" : `,${out}`}`,
    ...item.variations.map((size) => `  size ${say(size)} ${money(size.price, currency)}`),
    ...pricesOf(sold, item.id, currency).map((text) => `  ${text}`),
    ...item.modifier_groups.map((use) => {
      const group = find(sold.groups, use.group_id);
      if (group === undefined) return `  with ?${use.group_id}`;
      const max = use.max === undefined ? group.max : use.max;
      const hidden = titles(sold.modifiers, use.hidden_modifier_ids);
      const without = hidden === "" ? "" : ` without ${hidden}`;
      return `  with ${say(group)} ${use.min ?? group.min}-${max ?? "any"}${without}`;
    }),
  ];
}

function groupLine(sold: Sold, group: Group, currency: string): string {
  const free = group.free_quantity > 0 ? ` free ${group.free_quantity}` : "";
  const least = group.min_distinct;
  const most = group.max_distinct;
  const distinct = least === null && most === null ? "" : ` different ${least ?? 0}-${most ?? "any"}`;
  const substitutes = group.substitution ? " substitutes" : "";
  const options = group.modifier_ids.map((id) => {
    const modifier = find(sold.modifiers, id);
    if (modifier === undefined) return `?${id}`;
    const times = modifier.max_quantity > 1 ? ` x${modifier.max_quantity}` : "";
    const nested = titles(sold.groups, modifier.nested_group_ids);
    const other = pricesOf(sold, id, currency).map((text) => ` (${text})`);
    return [
      `${say(modifier)} ${money(modifier.price, currency)}${times}`,
      modifier.default ? " default" : "",
      stockText(sold, id),
      nested === "" ? "" : ` > ${nested}`,
      ...other,
    ].join("");
  });
  const head = `group ${say(group)} ${group.min}-${group.max ?? "any"}${free}${distinct}${substitutes}`;
  return `${head}: ${options.join(", ")}`.trimEnd();
}

/** Its other prices, each with the menu, the times or the list in which it applies. */
const pricesOf = (sold: Sold, id: string, currency: string): string[] =>
  sold.levels
    .flatMap((level) =>
      level.overrides
        .filter(({ target_id: target }) => target === id)
        .map(({ price, percent }) => {
          const amount = price === null ? `${percent}%` : money(price, currency);
          return `${amount} ${placeOf(sold, level)}`;
        }),
    )
    .sort();

function placeOf(sold: Sold, level: Level): string {
  const menu = level.menu_id === null ? "" : ` in ${say(find(sold.menus, level.menu_id) ?? level)}`;
  const times = level.schedule_id === null ? "" : ` at ${hours(sold, [level.schedule_id])}`;
  const channel = level.channel === null ? "" : ` for ${level.channel}`;
  const list = level.automatic ? "" : ` in the list ${say(level)}`;
  return `${menu}${times}${channel}${list}`.trim();
}

function stockText({ stock }: Sold, id: string): string {
  const suspension = find(stock, id)?.suspensions[0];
  if (suspension === undefined) return "";
  return suspension.until === null ? " not available" : ` not available until ${suspension.until}`;
}

function money(minor: number, currency: string): string {
  const exponent = exponentOf(currency);
  return (minor / 10 ** exponent).toFixed(exponent);
}

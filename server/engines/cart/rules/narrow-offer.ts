import type { OfferEffect } from "../schema/offer.ts";
import type { LineInput, UnitFilter } from "../schema/parts.ts";
import type { OfferRule } from "./evaluate.ts";

/** Values of the lines of a cart, each with the text that is kept in place of all equal ones. */
type InCart = ReadonlyMap<string, string>;

/**
 * Shortens the filters of offers to what lines of a cart have, which changes no price: the filters of one offer can list thousands of
 * references, while hundreds of offers are in memory together and are copied to the thread that evaluates the cart.
 */
export function createNarrowing(lines: readonly LineInput[]): (offer: OfferRule) => OfferRule {
  const refs = inCart(lines.map(({ ref }) => ref));
  const categories = inCart(lines.flatMap(({ category }) => category ?? []));
  const tags = inCart(lines.flatMap((line) => line.tags));
  const narrow = (filter: UnitFilter): UnitFilter => ({
    refs: present(filter.refs, refs),
    categories: present(filter.categories, categories),
    tags: present(filter.tags, tags),
  });
  return (offer) => ({
    id: offer.id,
    title: offer.title,
    class: offer.class,
    trigger: offer.trigger,
    codes: offer.codes,
    conditions: {
      ...offer.conditions,
      rules: offer.conditions.rules.map((rule) =>
        rule.kind === "quantity" ? { ...rule, filter: narrow(rule.filter) } : rule,
      ),
    },
    effect: narrowEffect(offer.effect, narrow),
    priority: offer.priority,
    exclusive: offer.exclusive,
    combines_with: offer.combines_with,
    max_applications_per_cart: offer.max_applications_per_cart,
    min_spend_after_discounts: offer.min_spend_after_discounts,
    revision: offer.revision,
    ...(offer.budget_left === undefined ? {} : { budget_left: offer.budget_left }),
  });
}

function narrowEffect(effect: OfferEffect, narrow: (filter: UnitFilter) => UnitFilter): OfferEffect {
  if (effect.class === "product") return { ...effect, filter: narrow(effect.filter) };
  if (effect.class !== "bogo") return effect;
  return {
    ...effect,
    buy: { ...effect.buy, filter: narrow(effect.buy.filter) },
    get: { ...effect.get, filter: narrow(effect.get.filter) },
  };
}

const inCart = (values: readonly string[]): InCart => new Map(values.map((value) => [value, value]));

/** The values that the cart has, else the first one: a filter without any values fits every unit. */
function present(values: readonly string[], own: InCart): string[] {
  const found = new Set(values.flatMap((value) => own.get(value) ?? []));
  return found.size === 0 ? values.slice(0, 1) : [...found];
}

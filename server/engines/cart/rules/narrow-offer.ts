import type { OfferEffect } from "../schema/offer.ts";
import type { LineInput, UnitFilter } from "../schema/parts.ts";
import type { OfferRule } from "./evaluate.ts";

/**
 * Shortens the filters of offers to what lines of a cart have, which changes no price: the filters of one offer can list thousands of
 * references, and all offers are copied to the thread that evaluates the cart.
 */
export function createNarrowing(lines: readonly LineInput[]): (offer: OfferRule) => OfferRule {
  const refs = new Set(lines.map(({ ref }) => ref));
  const categories = new Set(lines.map(({ category }) => category));
  const tags = new Set(lines.flatMap((line) => line.tags));
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

/** The values that the cart has, else the first one: a filter without any values fits every unit. */
function present(values: readonly string[], inCart: ReadonlySet<string | null>): string[] {
  const found = values.filter((value) => inCart.has(value));
  return found.length === 0 ? values.slice(0, 1) : found;
}

import type { LineInput } from "../schema/parts.ts";
import type { BundleTerms } from "./match-bundles.ts";

/** Shortens bundles to the references that lines of a cart have, which changes no match; null for one that cannot match. */
export function createBundleNarrowing(
  lines: readonly LineInput[],
): (bundle: BundleTerms) => BundleTerms | null {
  /** Each with the text that is kept in place of all equal ones. */
  const refs = new Map(lines.map(({ ref }) => [ref, ref]));
  const inCart = (values: readonly string[]): string[] => values.flatMap((value) => refs.get(value) ?? []);
  return (bundle) => {
    const components = bundle.components.flatMap(({ ref, qty }) =>
      inCart([ref]).map((own) => ({ ref: own, qty })),
    );
    if (bundle.type === "fixed" && components.length < bundle.components.length) return null;
    const groups = bundle.groups.map((group) => ({ ...group, refs: inCart(group.refs) }));
    if (components.length === 0 && groups.every((group) => group.refs.length === 0)) return null;
    return {
      id: bundle.id,
      title: bundle.title,
      type: bundle.type,
      components,
      groups,
      pricing: bundle.pricing,
      tiers: bundle.tiers,
      auto_apply: bundle.auto_apply,
      subscribable: bundle.subscribable,
    };
  };
}

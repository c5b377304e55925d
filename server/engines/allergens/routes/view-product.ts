import { sha256Hex } from "../../../core/ids.ts";
import type { Stored } from "../../../core/tx.ts";
import type { ModeId } from "../data/modes.ts";
import { declaredIn } from "../rules/declare.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { unresolvedNames } from "../rules/unresolved-names.ts";
import type { Product, ProductView } from "../schema.ts";
import type { StoreState } from "./read-products.ts";

export type UnversionedView = Omit<ProductView, "version">;

/** A product as it is served: what its mode has declared, and what its status is worth now. */
export function toView(
  stored: Product,
  now: number,
  { state, mode }: { readonly state: StoreState; readonly mode: ModeId | undefined },
): UnversionedView {
  const { status, stale_reasons } = freshnessOf(stored, now, state);
  const product = freshen(stored, state.pending, state.settings.default_mode);
  const shown = mode ?? state.settings.default_mode;
  return {
    ...product,
    status,
    stale_reasons,
    mode: shown,
    ...declaredIn(product, shown),
    unresolved_names: unresolvedNames(product),
  };
}

/** The same for an answer that carries the stored version. */
export const viewProduct = (
  stored: Stored<Product>,
  now: number,
  about: { readonly state: StoreState; readonly mode: ModeId | undefined },
): Stored<UnversionedView> => {
  const view = toView(stored.value, now, about);
  return withValue(stored, view, variantOf(stored.value, view, about.state));
};

/** Time, changes of the library and of the settings make another product of it without a write: its ETag would still be that of before. */
function variantOf(stored: Product, view: UnversionedView, { settings }: StoreState): string | undefined {
  const isAsWritten =
    view.status === stored.status &&
    view.ingredients === stored.ingredients &&
    (settings.updated_at ?? "") <= stored.updated_at;
  const { allergens, may_contain, mode, stale_reasons, status } = view;
  return isAsWritten
    ? undefined
    : sha256Hex(JSON.stringify([allergens, may_contain, mode, stale_reasons, status])).slice(0, 8);
}

/** Another value under the version of a stored document. */
export const withValue = <T extends object>(stored: Stored<unknown>, value: T, variant?: string): Stored<T> =>
  new View(stored, value, variant);

/**
 * Another shape of a stored document under its version, which a staged one only gets from the commit. A class, because
 * an accessor in a literal gives each object a hidden class of its own, and that outlives the request.
 */
class View<T extends object> implements Stored<T> {
  readonly id: string;
  readonly value: T;
  readonly variant: string | undefined;
  readonly #stored: Stored<unknown>;
  constructor(stored: Stored<unknown>, value: T, variant: string | undefined) {
    this.id = stored.id;
    this.value = value;
    this.variant = variant;
    this.#stored = stored;
  }
  get version(): number {
    return this.#stored.version;
  }
  get members(): string {
    return JSON.stringify(this.value).slice(1);
  }
}

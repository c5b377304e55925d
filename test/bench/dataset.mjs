// The jobs every contestant does: a page of the 20 newest of 10,000 bundles of one store,
// and holding a place in one of 640 delivery slots, durably and never beyond its capacity.
export const RECORDS = 10_000;
export const PAGE = 20;
export const WINDOWS = 64;
export const CAPACITY = 1000;

/** A bundle as the platform stores and serves it; `index` makes it unique. */
export function bundleOf(index, id) {
  const at = "2026-06-01T09:00:00.000Z";
  return {
    id,
    created_at: at,
    updated_at: at,
    title: `Breakfast for two, no. ${index}`,
    type: "fixed",
    components: [
      { ref: "croissant", qty: 2 },
      { ref: "coffee", qty: 2 },
    ],
    pricing: { kind: "fixed_price", value: 950 + (index % 100) },
    auto_apply: true,
    subscribable: false,
    starts_at: null,
    ends_at: null,
    status: "active",
  };
}

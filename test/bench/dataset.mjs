// The one job every contestant does: a page of the 20 newest of 10,000 delivery zones of one store.
export const RECORDS = 10_000;
export const PAGE = 20;

/** A zone as the platform stores and serves it; `index` makes it unique. */
export function zoneOf(index, id) {
  const at = "2026-06-01T09:00:00.000Z";
  return {
    id,
    created_at: at,
    updated_at: at,
    name: `Zone ${index}`,
    country: "GB",
    patterns: ["SW1", "WC2"],
    excludes: ["SW1X"],
    priority: index % 100,
    active: true,
    minimum_order: 1500,
    fee_tiers: [
      { from: 0, fee: 499 },
      { from: 3000, fee: 299 },
      { from: 5000, fee: 0 },
    ],
    slot_window_ids: [],
    lead_minutes: null,
  };
}

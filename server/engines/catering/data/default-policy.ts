import type { PolicyTerms } from "../schema/policy.ts";

/**
 * The policy of a store that has none of its own. Bands by the size of the order and business days follow Zerocater's
 * published ones, the surcharges for late extra heads those of Railtown Catering and UNCO.
 */
export const DEFAULT_TERMS: PolicyTerms = {
  lead_time_hours: 24,
  min_spend: 0,
  capacity: null,
  cancel_bands: [
    { cutoff: { business_days_before: 5, at: "14:00" }, fee_bps: 0, min_heads: 0, max_heads: 299 },
    { cutoff: { business_days_before: 2, at: "14:00" }, fee_bps: 5000, min_heads: 0, max_heads: 299 },
    { cutoff: { business_days_before: 10, at: "14:00" }, fee_bps: 0, min_heads: 300, max_heads: null },
    { cutoff: { business_days_before: 3, at: "14:00" }, fee_bps: 5000, min_heads: 300, max_heads: null },
  ],
  late_cancel_bps: 10_000,
  reduce_bands: [
    { cutoff: { business_days_before: 5, at: "14:00" }, fee_bps: 0, min_heads: 0, max_heads: null },
    { cutoff: { business_days_before: 2, at: "14:00" }, fee_bps: 5000, min_heads: 0, max_heads: null },
  ],
  late_reduce_bps: 10_000,
  guarantee: { business_days_before: 3, at: "12:00" },
  increase_bands: [{ cutoff: { business_days_before: 1, at: "12:00" }, multiplier_bps: 15_000 }],
  late_increase_bps: 20_000,
  deposits: [{ bps: 5000, due: { kind: "acceptance" } }],
  retain_deposit_bps: 5000,
  fee_tax_rate_bps: 0,
  valid_days: 14,
};

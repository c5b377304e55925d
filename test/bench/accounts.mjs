// Documents of accounts, as the server writes them.

export const customerOf = (id, email, times) => ({
  id,
  ...times,
  email,
  status: "active",
  plan: "free",
  trial_plan: null,
  trial_started_at: null,
  trial_ends_at: null,
  trials_used: [],
  plan_ends_at: null,
  verified_at: times.created_at,
  trusted_at: times.created_at,
  suspended_at: null,
  suspended_reason: null,
  closed_at: null,
});

/** An active secret key; `tier` null is that of the customer's plan. */
export const keyOf = (id, plaintext, { store, scopes, times, tier = null, name = "bench" }) => ({
  id,
  ...times,
  customer_id: store.customer_id,
  store_id: store.id,
  prefix: plaintext.slice(0, 14),
  last4: plaintext.slice(-4),
  kind: "secret",
  mode: "live",
  status: "ACTIVE",
  tier,
  scopes,
  name,
  activates_at: null,
  expires_at: null,
  revoked_at: null,
  revoked_reason: null,
  replaces: null,
  replaced_by: null,
});

import { DRAWINGS } from "../drawn/drawings.ts";
import { is, link, state, trailOf, when } from "../cells.ts";
import { html } from "../../../lib/html.ts";
import { text } from "../view.ts";
import type { View } from "../view.ts";

/** Customers with what is theirs. */
export const PEOPLE: readonly View[] = [
  {
    path: "customers",
    title: "Customers",
    isMain: true,
    route: "admin.customers.list",
    empty: "No customer has signed up yet. The first one appears here after its signup.",
    filters: [
      { name: "email", label: "E-mail" },
      { name: "status", label: "State", options: ["pending", "active", "suspended", "closed"] },
    ],
    columns: [
      { title: "E-mail", of: link("customers", "email", "id") },
      { title: "State", of: state("status") },
      { title: "Plan", of: "plan" },
      { title: "Since", of: when("created_at") },
    ],
    actions: [
      {
        route: "admin.customers.create",
        label: "Sign up a customer",
        fields: [
          { name: "email", label: "E-mail", type: "text" },
          { name: "storeIdentifier", label: "Store", type: "text" },
          { name: "mail", label: "Send the verification mail", type: "checkbox", value: "true" },
        ],
        done: (row) =>
          html`Signed up: <a href="/_/customers/${text(row, "customer_id")}">open the customer</a>.${
              text(row, "email_sent") === "true" ? " The verification mail was sent." : ""
            }`,
      },
    ],
  },
  {
    path: "customers/:id",
    title: "Customer",
    route: "admin.customers.get",
    actions: [
      {
        route: "admin.customers.plan",
        label: "Change plan",
        fields: [
          { name: "plan", label: "Plan", type: "select", options: "plans", value: ".base_plan" },
          { name: "trial", label: "As a trial", type: "checkbox" },
        ],
      },
      { route: "admin.customers.verify", label: "Verify manually", when: is("status", "pending") },
      { route: "admin.customers.resend", label: "Send another link" },
      {
        route: "admin.customers.suspend",
        label: "Suspend",
        when: is("status", "active"),
        confirm: "All its keys are refused from the next request on, until it is resumed.",
        fields: [{ name: "reason", label: "Reason", type: "text" }],
        done: (row) => `Suspended: ${text(row, "suspended_reason")}`,
      },
      { route: "admin.customers.resume", label: "Resume", when: is("status", "suspended") },
      { route: "admin.customers.trust", label: "Allow mail to new recipients" },
      { route: "admin.customers.distrust", label: "Limit mail to new recipients" },
      {
        route: "admin.keys.create",
        label: "Issue an API key",
        fields: [
          { name: "customer_id", label: "Customer", type: "text", value: ":id" },
          { name: "name", label: "Name", type: "text", isOptional: true },
          { name: "preset", label: "Scopes", type: "select", options: ["read-only", "full"] },
        ],
      },
      {
        route: "admin.customers.delete",
        label: "Close the account",
        confirm:
          "All its keys are revoked now, and its stores with their data are erased after 30 days; a pending customer is erased now. This cannot be undone.",
        done: () => "The account was closed.",
        next: "/_/customers",
      },
    ],
    related: (row) => [
      { href: `/_/customers/${text(row, "id")}/budgets`, label: "Budgets" },
      { href: `/_/keys?customer_id=${text(row, "id")}`, label: "Keys" },
      { href: `/_/stores?customer_id=${text(row, "id")}`, label: "Stores" },
      trailOf(row),
    ],
  },
  {
    path: "customers/:id/budgets",
    title: "Budgets",
    route: "admin.customers.budgets",
    empty: "This customer has no budgets.",
    columns: [
      { title: "Budget", of: "unit" },
      { title: "Used", of: "used" },
      { title: "Of", of: (row) => text(row, "limit") || "unlimited" },
      { title: "Renews", of: when("renews_at") },
      { title: "Store", of: "store_id" },
      { title: "Data", of: "mode" },
    ],
  },
  {
    path: "stores",
    title: "Stores",
    isMain: true,
    route: "admin.stores.list",
    empty: "No store yet. Each customer gets one at signup.",
    filters: [
      { name: "identifier", label: "Identifier" },
      { name: "customer_id", label: "Customer" },
    ],
    columns: [
      { title: "Store", of: link("stores", "identifier", "id") },
      { title: "Customer", of: "customer_id" },
      { title: "Since", of: when("created_at") },
    ],
  },
  {
    path: "stores/:id",
    title: "Store",
    route: "admin.stores.get",
    actions: [
      {
        route: "admin.stores.delete",
        label: "Delete the store",
        when: (row) => row["primary"] === false,
        confirm: "Its keys are revoked now and its data is erased after 30 days. This cannot be undone.",
        done: () => "The store was deleted.",
        next: "/_/stores",
      },
    ],
    related: (row) => [
      ...DRAWINGS.map(({ path, title }) => ({ href: `/_/stores/${text(row, "id")}/${path}`, label: title })),
      { href: `/_/keys?customer_id=${text(row, "customer_id")}`, label: "Keys" },
      { href: `/_/webhooks?store_id=${text(row, "id")}`, label: "Webhooks" },
      trailOf(row),
    ],
  },
  {
    path: "keys",
    title: "Keys",
    isMain: true,
    route: "admin.keys.list",
    empty:
      "No API key yet. A key is issued when a customer verifies the address, or on the page of a customer.",
    filters: [
      { name: "customer_id", label: "Customer" },
      { name: "status", label: "State", options: ["pending", "ACTIVE", "revoked", "expired"] },
      { name: "expiring_days", label: "Expires within days" },
    ],
    columns: [
      { title: "Key", of: link("keys", "prefix", "id") },
      { title: "Name", of: (row) => text(row, "name") || "–" },
      { title: "Store", of: "store_id" },
      { title: "Customer", of: "customer_id" },
      { title: "State", of: state("status") },
      { title: "Plan", of: "tier" },
      { title: "Last used", of: when("last_used_at") },
    ],
  },
  {
    path: "keys/:id",
    title: "Key",
    route: "admin.keys.get",
    actions: [
      {
        route: "admin.keys.rotate",
        label: "Rotate",
        when: is("status", "ACTIVE"),
        fields: [{ name: "overlap_seconds", label: "Overlap in seconds", type: "number", value: "86400" }],
      },
      { route: "admin.keys.activate", label: "Activate", when: is("status", "pending") },
      {
        route: "admin.keys.revoke",
        label: "Revoke",
        confirm: "The key is refused from the next request on. This cannot be undone.",
        when: is("status", "ACTIVE", "pending"),
        done: (row) => `Revoked: ${text(row, "revoked_reason")}`,
        fields: [{ name: "reason", label: "Reason", type: "text" }],
      },
    ],
    related: (row) => [
      { href: `/_/customers/${text(row, "customer_id")}`, label: "Customer" },
      { href: `/_/usage?key_id=${text(row, "id")}`, label: "Usage" },
      { href: `/_/logs?key_id=${text(row, "id")}`, label: "Requests" },
      trailOf(row),
    ],
  },
  {
    path: "plans",
    title: "Plans",
    route: "admin.plans.list",
    columns: [
      { title: "Plan", of: "id" },
      { title: "Requests per minute", of: "requests_per_minute" },
      { title: "Stores", of: (row) => text(row, "stores") || "unlimited" },
      { title: "Active keys", of: "active_keys" },
      { title: "Trial days", of: "trial_days" },
    ],
  },
];

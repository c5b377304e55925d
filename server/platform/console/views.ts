import { html } from "../../kernel/html.ts";
import type { Html } from "../../kernel/html.ts";
import { drawUsage } from "./chart.ts";
import { text } from "./view.ts";
import type { Asked, Row, View } from "./view.ts";

const link =
  (to: string, shown: string, id = shown) =>
  (row: Row): Html =>
    html`<a href="/_/${to}/${encodeURIComponent(text(row, id))}">${text(row, shown)}</a>`;
const when =
  (name: string) =>
  (row: Row): Html => {
    const at = text(row, name);
    return at === "" ? html`` : html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)}</time>`;
  };
const state =
  (name: string) =>
  (row: Row): Html =>
    html`<span class="state ${text(row, name).toLowerCase()}">${text(row, name)}</span>`;
const is =
  (name: string, ...values: string[]) =>
  (row: Row): boolean =>
    values.includes(text(row, name));
const about = (row: Row) => ({ href: `/_/audit?about=${text(row, "id")}`, label: "Audit trail" });

/** Endpoints of a store are named together with it. */
const placeOf = ({ store_id, mode }: Asked): string =>
  store_id === undefined ? "" : `?${new URLSearchParams({ store_id, mode: mode ?? "live" }).toString()}`;

const PLANS = ["free", "starter", "growth", "scale", "enterprise"];

/** THE list of pages. Each shows one admin route, which the command line uses too. */
export const VIEWS: readonly View[] = [
  {
    path: "customers",
    title: "Customers",
    isMain: true,
    route: "admin.customers.list",
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
        label: "Sign a customer up",
        fields: [
          { name: "email", label: "E-mail", type: "text" },
          { name: "storeIdentifier", label: "Store", type: "text" },
          { name: "mail", label: "Send the mail", type: "checkbox", value: "true" },
        ],
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
          { name: "plan", label: "Plan", type: "select", options: PLANS },
          { name: "trial", label: "As a trial", type: "checkbox" },
        ],
      },
      { route: "admin.customers.verify", label: "Confirm by hand", when: is("status", "pending") },
      { route: "admin.customers.resend", label: "Mail another link" },
      { route: "admin.customers.suspend", label: "Suspend", when: is("status", "active") },
      { route: "admin.customers.resume", label: "Resume", when: is("status", "suspended") },
      {
        route: "admin.keys.create",
        label: "Issue a key",
        fields: [
          { name: "customer_id", label: "Customer", type: "text", value: ":id" },
          { name: "name", label: "Name", type: "text", isOptional: true },
          { name: "preset", label: "Scopes", type: "select", options: ["read-only", "full"] },
        ],
      },
      { route: "admin.customers.delete", label: "Close the account", isFinal: true },
    ],
    related: (row) => [
      { href: `/_/keys?customer_id=${text(row, "id")}`, label: "Keys" },
      { href: `/_/stores?customer_id=${text(row, "id")}`, label: "Stores" },
      about(row),
    ],
  },
  {
    path: "stores",
    title: "Stores",
    isMain: true,
    route: "admin.stores.list",
    filters: [{ name: "customer_id", label: "Customer" }],
    columns: [
      { title: "Identifier", of: "identifier" },
      { title: "Id", of: "id" },
      { title: "Customer", of: link("customers", "customer_id") },
      { title: "Since", of: when("created_at") },
    ],
  },
  {
    path: "keys",
    title: "Keys",
    isMain: true,
    route: "admin.keys.list",
    filters: [
      { name: "customer_id", label: "Customer" },
      { name: "status", label: "State", options: ["pending", "ACTIVE", "revoked", "expired"] },
      { name: "expiring_days", label: "Ends within days" },
    ],
    columns: [
      { title: "Key", of: link("keys", "prefix", "id") },
      { title: "Name", of: "name" },
      { title: "Store", of: "store" },
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
        isFinal: true,
        when: is("status", "ACTIVE", "pending"),
        fields: [{ name: "reason", label: "Reason", type: "text" }],
      },
    ],
    related: (row) => [
      { href: `/_/customers/${text(row, "customer_id")}`, label: "Customer" },
      { href: `/_/usage?key_id=${text(row, "id")}`, label: "Usage" },
      { href: `/_/logs?key_id=${text(row, "id")}`, label: "Requests" },
      about(row),
    ],
  },
  {
    path: "plans",
    title: "Plans",
    route: "admin.plans.list",
    columns: [
      { title: "Plan", of: "id" },
      { title: "Requests a minute", of: "requests_per_minute" },
      { title: "Stores", of: (row) => text(row, "stores") || "unlimited" },
      { title: "Active keys", of: "active_keys" },
      { title: "Days of trial", of: "trial_days" },
    ],
  },
  {
    path: "limits",
    title: "Limits",
    isMain: true,
    live: true,
    route: "admin.limits.list",
    about: "Windows that are open now. With script the page follows them as they are used.",
    filters: [{ name: "customer_id", label: "Customer" }],
    columns: [
      { title: "Key", of: link("keys", "key_id") },
      { title: "Used", of: "used" },
      { title: "Limit", of: "limit" },
      { title: "Refused", of: "rejected" },
      { title: "Latest route", of: "route" },
    ],
  },
  {
    path: "usage",
    title: "Usage",
    isMain: true,
    route: "admin.usage.list",
    filters: [
      { name: "key_id", label: "Key" },
      { name: "day", label: "Day (YYYY-MM-DD)" },
    ],
    picture: drawUsage,
    columns: [
      { title: "Day", of: "day" },
      { title: "Key", of: link("keys", "key_id") },
      { title: "Requests", of: "requests" },
      { title: "Routes, most used first", of: topRoutes },
    ],
  },
  {
    path: "mail",
    title: "Mail",
    isMain: true,
    route: "admin.mail.list",
    filters: [{ name: "to", label: "To" }],
    columns: [
      { title: "Subject", of: link("mail", "subject", "id") },
      { title: "To", of: "to" },
      { title: "State", of: state("status") },
      { title: "Made", of: when("created_at") },
    ],
    actions: [
      {
        route: "admin.mail.send-test",
        label: "Send a test",
        fields: [{ name: "to", label: "To", type: "text" }],
      },
    ],
  },
  {
    path: "mail/:id",
    title: "Mail",
    route: "admin.mail.show",
    actions: [{ route: "admin.mail.retry", label: "Try again now" }],
  },
  {
    path: "jobs",
    title: "Jobs",
    isMain: true,
    route: "admin.jobs.list",
    columns: [
      { title: "Job", of: link("jobs", "id") },
      { title: "What it does", of: "summary" },
      { title: "When", of: "schedule" },
      { title: "Next", of: when("next_at") },
      { title: "Latest", of: state("last_status") },
      { title: "Running", of: (row) => (row["running"] === true ? "yes" : "") },
    ],
  },
  {
    path: "jobs/:job_id",
    title: "Runs of a job",
    route: "admin.jobs.history",
    columns: [
      { title: "Started", of: when("started_at") },
      { title: "Took ms", of: "duration_ms" },
      { title: "Outcome", of: state("status") },
      { title: "What happened", of: (row) => text(row, "error") || text(row, "counts") },
    ],
    actions: [{ route: "admin.jobs.run", label: "Run it now", params: { id: "job_id" } }],
  },
  {
    path: "webhooks",
    title: "Webhooks",
    isMain: true,
    route: "admin.webhooks.list",
    filters: [
      { name: "store_id", label: "Store" },
      { name: "mode", label: "Data", options: ["live", "test"] },
    ],
    about: "Those of the platform itself; name a store for its own.",
    columns: [
      {
        title: "Address",
        of: (row, asked) =>
          html`<a href="${`/_/webhooks/${text(row, "id")}${placeOf(asked)}`}">${text(row, "url")}</a>`,
      },
      { title: "State", of: state("status") },
      { title: "Types", of: "types" },
    ],
  },
  {
    path: "webhooks/:id",
    title: "Webhook",
    route: "admin.webhooks.get",
    actions: [
      { route: "admin.webhooks.test", label: "Send a test" },
      {
        route: "admin.webhooks.resend",
        label: "Send again",
        fields: [
          { name: "since", label: "Since (RFC 3339)", type: "text" },
          { name: "until", label: "Until", type: "text", isOptional: true },
        ],
      },
      { route: "admin.webhooks.enable", label: "Switch on" },
      { route: "admin.webhooks.disable", label: "Switch off" },
    ],
    related: (row, asked) => [
      { href: `/_/webhooks/${text(row, "id")}/deliveries${placeOf(asked)}`, label: "Deliveries" },
    ],
  },
  {
    path: "webhooks/:id/deliveries",
    title: "Deliveries",
    route: "admin.webhooks.deliveries",
    columns: [
      { title: "Type", of: "type" },
      { title: "State", of: state("status") },
      { title: "Made", of: when("created_at") },
      { title: "Attempts", of: "attempts" },
    ],
  },
  {
    path: "audit",
    title: "Audit trail",
    isMain: true,
    route: "admin.audit.list",
    filters: [{ name: "about", label: "About (id)" }],
    columns: [
      { title: "When", of: when("created_at") },
      { title: "Who", of: "actor" },
      { title: "What", of: "action" },
      { title: "Of", of: "subject" },
      { title: "Details", of: "details" },
    ],
    related: () => [{ href: "/_/audit/chain", label: "Check the chain" }],
  },
  { path: "audit/chain", title: "Chain of the audit trail", route: "admin.audit.verify" },
  {
    path: "logs",
    title: "Requests",
    isMain: true,
    route: "admin.logs.list",
    filters: [
      { name: "key_id", label: "Key" },
      { name: "status", label: "Status", options: ["4xx", "5xx"] },
      { name: "route", label: "Route or engine" },
    ],
    columns: [
      { title: "When", of: when("at") },
      { title: "Request", of: link("logs", "request_id") },
      { title: "Route", of: "route" },
      { title: "Status", of: "status" },
      { title: "ms", of: "duration_ms" },
    ],
  },
  { path: "logs/:request_id", title: "Request", route: "admin.logs.show" },
  {
    path: "storage",
    title: "Storage",
    isMain: true,
    route: "admin.storage.info",
    actions: [
      { route: "admin.storage.verify", label: "Verify everything" },
      { route: "admin.storage.compact", label: "Compact" },
    ],
  },
  {
    path: "doctor",
    title: "Doctor",
    isMain: true,
    route: "admin.doctor.run",
    about: "What goes wrong on other people's machines, looked for on this one.",
  },
];

function topRoutes(row: Row): string {
  const routes: readonly Row[] = Array.isArray(row["routes"]) ? row["routes"] : [];
  return routes
    .toSorted((a, b) => Number(b["requests"]) - Number(a["requests"]))
    .slice(0, 3)
    .map((entry) => `${text(entry, "route") || "no route"} ${text(entry, "requests")}`)
    .join(", ");
}

import { drawOutcomes, drawRefusals, drawRoutes } from "../chart.ts";
import { link, when } from "../cells.ts";
import { html } from "../../../lib/html.ts";
import { rowsOf, text } from "../view.ts";
import type { Row, View } from "../view.ts";

/** What is called, by whom, and what came of it. */
export const TRAFFIC: readonly View[] = [
  {
    path: "limits",
    title: "Limits",
    isMain: true,
    live: true,
    route: "admin.limits.list",
    empty: "No key has sent a request in the last minute.",
    about: "Open rate limit windows. With JavaScript the page is updated live.",
    filters: [{ name: "customer_id", label: "Customer" }],
    columns: [
      { title: "Key", of: "key_id" },
      { title: "Used", of: "used" },
      { title: "Limit", of: "limit" },
      { title: "Refused", of: "rejected" },
      { title: "Last route", of: "route" },
      { title: "Customer", of: "customer_id" },
    ],
  },
  {
    path: "refusals",
    title: "Refusals",
    isMain: true,
    route: "admin.limits.refusals",
    about: "Keys that exceeded their rate limit (429), the most refused first.",
    filters: [{ name: "day", label: "Day (YYYY-MM-DD, default today)" }],
    picture: drawRefusals,
    empty: "No request was refused with 429 on this day.",
    columns: [
      { title: "Key", of: "key_id" },
      { title: "Customer", of: "customer_id" },
      { title: "Refused", of: "rate_limited" },
      { title: "Routes, most refused first", of: (row) => topRoutes(row, "rate_limited") },
      {
        title: "Requests",
        of: (row) => html`<a href="/_/logs?key_id=${text(row, "key_id")}&status=4xx">Refused requests</a>`,
      },
    ],
  },
  {
    path: "usage",
    title: "Usage",
    isMain: true,
    route: "admin.usage.list",
    empty: "No key has been used yet.",
    filters: [
      { name: "key_id", label: "Key" },
      { name: "day", label: "Day (YYYY-MM-DD)" },
    ],
    picture: (rows) => html`${drawOutcomes(rows)} ${drawRoutes(rows)}`,
    columns: [
      { title: "Day", of: "day" },
      { title: "Key", of: "key_id" },
      { title: "Customer", of: "customer_id" },
      { title: "Requests", of: "requests" },
      { title: "Routes, most used first", of: (row) => topRoutes(row, "requests") },
    ],
  },
  {
    path: "logs",
    title: "Requests",
    isMain: true,
    route: "admin.logs.list",
    empty: "No request was refused and none failed, as far as the log goes back.",
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
      { title: "Key", of: "key_id" },
      { title: "Customer", of: "customer_id" },
      { title: "ms", of: "duration_ms" },
    ],
  },
  { path: "logs/:request_id", title: "Request", route: "admin.logs.show" },
];

function topRoutes(row: Row, count: "requests" | "rate_limited"): string {
  return rowsOf(row["routes"])
    .toSorted((a, b) => Number(b[count]) - Number(a[count]))
    .slice(0, 3)
    .map((entry) => `${text(entry, "route") || "no route"} ${text(entry, count)}`)
    .join(", ");
}

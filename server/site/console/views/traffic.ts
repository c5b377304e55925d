import { drawOutcomes, drawRoutes } from "../chart.ts";
import { link, when } from "../cells.ts";
import { html } from "../../../lib/html.ts";
import { text } from "../view.ts";
import type { Row, View } from "../view.ts";

/** What is called, by whom, and what came of it. */
export const TRAFFIC: readonly View[] = [
  {
    path: "limits",
    title: "Limits",
    isMain: true,
    live: true,
    route: "admin.limits.list",
    about: "Open rate limit windows. With JavaScript the page is updated live.",
    filters: [{ name: "customer_id", label: "Customer" }],
    columns: [
      { title: "Key", of: link("keys", "key_id") },
      { title: "Used", of: "used" },
      { title: "Limit", of: "limit" },
      { title: "Refused", of: "rejected" },
      { title: "Last route", of: "route" },
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
    picture: (rows) => html`${drawOutcomes(rows)} ${drawRoutes(rows)}`,
    columns: [
      { title: "Day", of: "day" },
      { title: "Key", of: link("keys", "key_id") },
      { title: "Requests", of: "requests" },
      { title: "Routes, most used first", of: topRoutes },
    ],
  },
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
];

function topRoutes(row: Row): string {
  const routes: readonly Row[] = Array.isArray(row["routes"]) ? row["routes"] : [];
  return routes
    .toSorted((a, b) => Number(b["requests"]) - Number(a["requests"]))
    .slice(0, 3)
    .map((entry) => `${text(entry, "route") || "no route"} ${text(entry, "requests")}`)
    .join(", ");
}

import { html } from "../../../lib/html.ts";
import { is, link, parts, state, unbroken, when } from "../cells.ts";
import { showMail } from "../shapes.ts";
import { rowsOf, text } from "../view.ts";
import type { Asked, Row, View } from "../view.ts";

/** Endpoints of a store are named together with it. */
const placeOf = ({ store_id, mode }: Asked): string =>
  store_id === undefined ? "" : `?${new URLSearchParams({ store_id, mode: mode ?? "live" }).toString()}`;

/** What the service does by itself: mails, jobs, webhooks. */
export const WORK: readonly View[] = [
  {
    path: "mail",
    title: "Mail",
    isMain: true,
    route: "admin.mail.list",
    empty: "No mail was written yet. Send a test mail to see whether the mail server accepts it.",
    filters: [{ name: "to", label: "To" }],
    columns: [
      { title: "Subject", of: link("mail", "subject", "id") },
      { title: "To", of: "to" },
      { title: "State", of: state("status") },
      { title: "Attempts", of: "attempts" },
      { title: "Created", of: when("created_at") },
    ],
    actions: [
      {
        route: "admin.mail.send-test",
        label: "Send test",
        fields: [{ name: "to", label: "To", type: "text" }],
        done: (row) =>
          row["email_sent"] === true
            ? `The mail server accepted the test mail to ${text(row, "to")}.`
            : `The test mail is queued, it was not sent yet. ${text(row, "last_error")}`,
      },
    ],
  },
  {
    path: "mail/:id",
    title: "Mail",
    route: "admin.mail.show",
    shape: showMail,
    frames: true,
    actions: [
      {
        route: "admin.mail.retry",
        label: "Retry now",
        when: is("status", "queued", "failed", "dead"),
        done: (row) =>
          text(row, "status") === "sent" ? "The mail was sent." : `Not sent: ${text(row, "last_error")}`,
      },
      {
        route: "admin.mail.resend",
        label: "Send again",
        when: is("status", "sent"),
        done: (row) =>
          html`The mail was queued again as <a href="/_/mail/${text(row, "id")}">a new mail</a>:
            ${text(row, "status")}.`,
      },
    ],
  },
  {
    path: "jobs",
    title: "Jobs",
    isMain: true,
    route: "admin.jobs.list",
    filters: [
      { name: "search", label: "Id or description" },
      { name: "status", label: "Last run", options: ["ok", "failed"] },
    ],
    columns: [
      { title: "Job", of: link("jobs", "id") },
      { title: "Description", of: "summary" },
      { title: "When", of: unbroken("schedule") },
      { title: "Next", of: when("next_at") },
      { title: "Latest", of: state("last_status") },
      { title: "Running", of: (row) => (row["running"] === true ? "yes" : "") },
    ],
  },
  {
    path: "jobs/:job_id",
    title: "Job runs",
    route: "admin.jobs.history",
    empty: "This job has not run yet.",
    columns: [
      { title: "Started", of: when("started_at") },
      { title: "Duration (ms)", of: "duration_ms" },
      { title: "Outcome", of: state("status") },
      { title: "What happened", of: (row) => text(row, "error") || parts("counts")(row) },
    ],
    actions: [{ route: "admin.jobs.run", label: "Run now", params: { id: "job_id" }, done: ranJob }],
  },
  {
    path: "webhooks",
    title: "Webhooks",
    isMain: true,
    route: "admin.webhooks.list",
    empty: "The operator has no webhook endpoint. Those of a store are listed with its id.",
    filters: [
      { name: "store_id", label: "Store" },
      { name: "mode", label: "Data", options: ["live", "test"] },
    ],
    about: "The operator's own endpoints. Filter by store to see those of a store.",
    columns: [
      {
        title: "Address",
        of: (row, asked) =>
          html`<a href="${`/_/webhooks/${text(row, "id")}${placeOf(asked)}`}">${text(row, "url")}</a>`,
      },
      { title: "State", of: state("status") },
      { title: "Types", of: (row) => listed(row["types"]) },
    ],
  },
  {
    path: "webhooks/:id",
    title: "Webhook",
    route: "admin.webhooks.get",
    actions: [
      { route: "admin.webhooks.test", label: "Send test", done: () => "A test event was queued." },
      {
        route: "admin.webhooks.resend",
        label: "Resend",
        fields: [
          { name: "since", label: "Since (RFC 3339)", type: "text" },
          { name: "until", label: "Until", type: "text", isOptional: true },
        ],
        done: () => "The missed events are sent again: see the deliveries.",
      },
      { route: "admin.webhooks.enable", label: "Enable" },
      { route: "admin.webhooks.disable", label: "Disable" },
    ],
    related: (row, asked) => [
      { href: `/_/webhooks/${text(row, "id")}/deliveries${placeOf(asked)}`, label: "Deliveries" },
    ],
  },
  {
    path: "webhooks/:id/deliveries",
    title: "Deliveries",
    route: "admin.webhooks.deliveries",
    empty: "Nothing was sent to this endpoint yet.",
    filters: [
      { name: "status", label: "State", options: ["pending", "sending", "delivered", "failed", "skipped"] },
    ],
    columns: [
      { title: "Type", of: "type" },
      { title: "State", of: state("status") },
      { title: "Created", of: when("created_at") },
      { title: "Attempts", of: "attempts" },
      { title: "Last response", of: lastAnswer },
    ],
    rowAction: {
      route: "admin.webhooks.resend-delivery",
      label: "Resend",
      params: { delivery_id: "id", id: "endpoint_id" },
      done: (row) => `The delivery is ${text(row, "status")}.`,
    },
  },
];

const listed = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : "");

/** What the receiver said at last: a status, or why none came. */
function lastAnswer({ history }: Row): string {
  const last = rowsOf(history).at(-1) ?? {};
  return text(last, "status") || text(last, "error");
}

function ranJob(row: Row): string {
  return `The run ended: ${text(row, "status")}. ${text(row, "error") || parts("counts")(row)}`;
}

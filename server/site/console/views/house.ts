import { ageOf, backupState, parts, when } from "../cells.ts";
import { showChain, showDoctor, showStorage } from "../shapes.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { valueOf } from "../table.ts";
import { text } from "../view.ts";
import type { Row, View } from "../view.ts";

/** The audit trail, the store, and the state of all of it. */
export const HOUSE: readonly View[] = [
  {
    path: "audit",
    title: "Audit trail",
    isMain: true,
    route: "admin.audit.list",
    empty: "Nothing was changed yet.",
    filters: [{ name: "about", label: "About (id)" }],
    columns: [
      { title: "When", of: when("created_at") },
      { title: "Who", of: "actor" },
      { title: "What", of: "action" },
      { title: "Of", of: "subject" },
      { title: "Details", of: (row) => html`<span class="parts">${parts("details")(row)}</span>` },
    ],
    related: () => [{ href: "/_/audit/chain", label: "Verify the chain" }],
  },
  {
    path: "operators",
    title: "Operators",
    isMain: true,
    route: "admin.operators.list",
    empty:
      "No operator has a token of their own yet. The token of the configuration is that of an owner named config.",
    about: "A viewer reads; support also acts on mails, keys and suspensions; an owner may do everything.",
    columns: [
      { title: "Name", of: "name" },
      { title: "Role", of: "role" },
      { title: "Since", of: when("created_at") },
    ],
    actions: [
      {
        route: "admin.operators.create",
        label: "Add an operator",
        fields: [
          { name: "name", label: "Name", type: "text" },
          { name: "role", label: "Role", type: "select", options: ["viewer", "support", "owner"] },
        ],
        done: (row) => `${text(row, "name")} was added as ${text(row, "role")}. This is the token:`,
      },
    ],
    rowAction: {
      route: "admin.operators.delete",
      label: "Remove",
      params: { name: "name" },
      confirm: "Its token and its sessions in the console are refused from the next request on.",
      done: () => "The operator was removed.",
    },
  },
  { path: "audit/chain", title: "Audit trail verification", route: "admin.audit.verify", shape: showChain },
  {
    path: "storage",
    title: "Storage",
    isMain: true,
    route: "admin.storage.info",
    shape: showStorage,
    actions: [
      { route: "admin.storage.verify", label: "Verify everything", done: verified },
      { route: "admin.storage.compact", label: "Compact", done: () => "The storage was compacted." },
    ],
    related: () => [{ href: "/_/storage/backups", label: "Backups" }],
  },
  {
    path: "storage/backups",
    title: "Backups",
    isMain: true,
    route: "admin.storage.backups",
    empty: "No backup yet. Set `backup.to` in the configuration to make one every day.",
    about: "Scheduled backups at backup.to. A backup is verified when it was read back completely.",
    columns: [
      { title: "Taken", of: when("taken_at") },
      { title: "Age", of: ageOf },
      { title: "State", of: backupState },
      { title: "Bytes", of: "bytes" },
      { title: "Documents", of: "documents" },
      { title: "Encrypted", of: "encrypted" },
      { title: "File", of: "file" },
    ],
  },
  {
    path: "doctor",
    title: "Doctor",
    isMain: true,
    route: "admin.doctor.run",
    shape: showDoctor,
    about: "Checks of the server, its configuration, storage, mail and clocks.",
  },
];

/** What a verification of the storage found. */
function verified(row: Row): Html {
  if (row["ok"] === true)
    return html`${text(row, "documents")} documents and their index entries were verified: no problem.`;
  return html`${text(row, "problem_count")} problems in ${text(row, "documents")} documents:
  ${valueOf(row["problems"])}`;
}

import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { text } from "./view.ts";
import type { Row } from "./view.ts";

/** A member that leads to the page of its thing. */
export const link =
  (to: string, shown: string, id = shown) =>
  (row: Row): Html =>
    html`<a href="/_/${to}/${encodeURIComponent(text(row, id))}">${text(row, shown)}</a>`;

/** An instant, in UTC and to the second. */
export const instant = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)}</time>`;

/** A member that is an instant; nothing where it has none. */
export const when =
  (name: string) =>
  (row: Row): Html => {
    const at = text(row, name);
    return at === "" ? html`` : instant(at);
  };

/** A word for its state, in the colour of good or bad where it is either. */
export const state =
  (name: string) =>
  (row: Row): Html =>
    html`<span class="state ${text(row, name).toLowerCase()}">${text(row, name)}</span>`;

/** The member `age_seconds` in its largest unit. */
export function ageOf(row: Row): string {
  const hours = Math.floor(Number(row["age_seconds"]) / 3600);
  if (hours < 1) return "less than 1 h";
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** Whether a backup is verified, and whether the next one is overdue. */
export const backupState = ({ overdue, verified }: Row): Html => html`
  <span class="state ${verified === true ? "ok" : "warn"}"
    >${verified === true ? "verified" : "not verified"}</span
  >
  ${overdue === true && html`<span class="state fail">overdue</span>`}
`;

/** What belongs together on one line, such as a pattern of times. */
export const unbroken =
  (name: string) =>
  (row: Row): Html =>
    html`<span class="state">${text(row, name)}</span>`;

/** Members of a part, one after the other; nothing where it has none. */
export const parts =
  (name: string) =>
  (row: Row): string => {
    const part = row[name];
    if (typeof part !== "object" || part === null) return text(row, name);
    return Object.entries(part)
      .map(([member, value]) => `${member}: ${inLine(value)}`)
      .join(", ");
  };

/** A value on a line: of a list, how long it is where it is long. */
function inLine(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.length > 5 ? `${value.length} items` : value.map(inLine).join(" ");
}

/** Whether a member has one of these values: when a button is shown. */
export const is =
  (name: string, ...values: string[]) =>
  (row: Row): boolean =>
    values.includes(text(row, name));

/** The way to what was done to a thing. */
export const trailOf = (row: Row) => ({ href: `/_/audit?about=${text(row, "id")}`, label: "Audit trail" });

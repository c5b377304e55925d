import { z } from "zod";

import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { instant } from "./cells.ts";
import { named, NO_NAMES } from "./names.ts";
import type { Names } from "./names.ts";
import { text } from "./view.ts";
import type { Asked, Column, Row } from "./view.ts";

interface TableOptions {
  readonly asked?: Asked;
  readonly isLive?: boolean;
  readonly names?: Names;
}

/** A table that scrolls by itself where it is wider than the page. */
export const table = (
  columns: readonly Column[],
  rows: readonly Row[],
  { asked = {}, isLive = false, names = NO_NAMES }: TableOptions = {},
): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Table">
    <table ${isLive && html`data-live="limits"`}>
      <thead>
        <tr>
          ${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr ${isLive && html`data-key="${text(row, "key_id")}"`}>
              ${columns.map(({ of }) => html`<td>${typeof of === "string" ? named(text(row, of), names) : of(row, asked)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * A list of words is a line, one of flat things a table, a thing its members; anything else that has parts is shown as it is
 * sent, and a text of several lines keeps them. Long ones are folded.
 */
export function valueOf(value: unknown, names: Names = NO_NAMES): Html | string {
  if (value === null || value === undefined) return html`<span class="soft">–</span>`;
  if (typeof value === "string") {
    if (INSTANT.test(value)) return instant(value);
    return value.includes("\n") ? lines(value) : named(value, names);
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return JSON.stringify(value);
  const words = Words.safeParse(value);
  if (words.success)
    return words.data.length === 0 ? html`<span class="soft">none</span>` : words.data.join(", ");
  const rows = Flat.safeParse(value);
  if (rows.success) {
    const members = [...new Set(rows.data.flatMap(Object.keys))];
    const columns = members.map((member) => ({ title: titleOf(member), of: member }));
    return folded(rows.data.length, "items", table(columns, rows.data, { names }));
  }
  const thing = Flat.element.safeParse(value);
  return thing.success ? members(thing.data, names) : lines(JSON.stringify(value, null, 2));
}

/** Every member of a thing that has a value. */
export const members = (row: Row, names?: Names): Html =>
  html`<dl class="members">
    ${Object.entries(row).flatMap(([name, value]) =>
      value === null || value === undefined
        ? []
        : html`<dt>${titleOf(name)}</dt>
            <dd>${valueOf(value, names)}</dd>`,
    )}
  </dl>`;

/** The name of a member in words: `created_at` is "Created", `customer_id` "Customer", `url` "URL". */
function titleOf(name: string): string {
  if (/^(?:id|ip|url)$/.test(name)) return name.toUpperCase();
  const words = name.replace(/_(?:at|id)$/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is longer is opened by who wants to see it. */
const FOLDED_FROM = 25;
const folded = (size: number, of: string, shown: Html): Html =>
  size <= FOLDED_FROM
    ? shown
    : html`<details>
        <summary>${size} ${of}</summary>
        ${shown}
      </details>`;

const lines = (text: string): Html => folded(text.split("\n").length, "lines", html`<pre>${text}</pre>`);

const Words = z.array(z.union([z.string(), z.number()]));
const Flat = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

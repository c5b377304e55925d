import { z } from "zod";

import { html } from "../../kernel/html.ts";
import type { Html } from "../../kernel/html.ts";
import { text } from "./view.ts";
import type { Asked, Column, Row } from "./view.ts";

/** A table that scrolls by itself where it is wider than the page. */
export const table = (
  columns: readonly Column[],
  rows: readonly Row[],
  { asked = {}, isLive = false }: { readonly asked?: Asked; readonly isLive?: boolean } = {},
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
              ${columns.map(({ of }) => html`<td>${typeof of === "string" ? text(row, of) : of(row, asked)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/** A list of flat things is a table; anything else that has parts is shown as it is sent. Long ones are folded. */
export function valueOf(value: unknown, plain: string): Html | string {
  if (typeof value !== "object" || value === null) return plain;
  const rows = Flat.safeParse(value);
  if (!rows.success || rows.data.length === 0) {
    const sent = JSON.stringify(value, null, 2);
    return folded(sent.split("\n").length, "lines", html`<pre>${sent}</pre>`);
  }
  const names = [...new Set(rows.data.flatMap(Object.keys))];
  return folded(
    rows.data.length,
    "of them",
    table(
      names.map((name) => ({ title: name, of: name })),
      rows.data,
    ),
  );
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

const Flat = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

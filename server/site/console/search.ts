import { holdsKey } from "../../core/key-format.ts";
import type { Route } from "../../core/route.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { callAdmin, readReply } from "./call-admin.ts";
import { assertGenuine, base, behindLogin, Form, goTo } from "./guard.ts";
import type { Find } from "./home.ts";
import { frame } from "./render.ts";
import { table } from "./table.ts";
import { text } from "./view.ts";
import type { Row } from "./view.ts";

const PAGES: Readonly<Record<string, string>> = {
  customer: "customers",
  store: "stores",
  key: "keys",
  request: "logs",
  mail: "mail",
};

const pageOf = (row: Row): string => `/_/${PAGES[text(row, "kind")] ?? ""}/${text(row, "id")}`;

/** The search of all pages. It is sent as a form: a pasted key, or somebody's address, is in no address of a page. */
export const searchRoute = (find: Find): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.console-search.post",
    method: "POST",
    path: "/_/search",
    summary: "Search",
    body: Form,
    form: true,
    example: { body: { q: "bakery" } },
    handle: ({ body }, ctx) =>
      behindLogin(ctx, async (session) => {
        assertGenuine(session, body);
        const q = (body["q"] ?? "").trim();
        const sent = { params: {}, query: {}, body: { q } };
        const { rows } =
          q === "" ? { rows: [] } : readReply(await callAdmin(find("admin.search.run"), ctx, session, sent));
        const [first] = rows;
        if (first !== undefined && rows.length === 1) return goTo(pageOf(first));
        // A key is not shown again, not even to who pasted it.
        return frame({ title: "Search", session, query: holdsKey(q) ? "" : q, body: resultsOf(rows, q) });
      }),
  });

const resultsOf = (rows: readonly Row[], q: string): Html =>
  html`<h1>Search</h1>
    ${
      rows.length === 0
        ? html`<p role="status">
            ${holdsKey(q) ? "No key is this one." : "Nothing found."} You can search by the id of a request, a
            customer, a store, a key or a mail, by an API key or its last four characters, and by names and
            e-mail addresses.
          </p>`
        : table(
            [
              { title: "Kind", of: "kind" },
              { title: "Name", of: (row) => html`<a href="${pageOf(row)}">${text(row, "name")}</a>` },
              { title: "Detail", of: "detail" },
              { title: "Id", of: (row) => html`<small class="soft">${text(row, "id")}</small>` },
            ],
            rows,
          )
    }`;

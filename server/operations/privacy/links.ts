import { z } from "zod";

import { linkPages, linkParams, requireLink } from "../../core/link-page.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { defineOpenRoute } from "../../core/route.ts";
import type { OpenCtx, Reply } from "../../core/route.ts";
import { showDate } from "../../lib/show.ts";
import { PURPOSE, verified } from "./ask.ts";
import { noExport, zipReply } from "./routes.ts";
import { privacyRequests } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";

const { link, page: dressed } = linkPages();

const show = defineOpenRoute({
  id: "public.privacy.show",
  method: "GET",
  path: "/privacy/:token",
  summary: "Page to confirm a privacy request",
  ...link,
  example: { params: linkParams },
  handle: async ({ params: { token } }, ctx) => page((await read(ctx, token)).request, token),
});

const confirm = defineOpenRoute({
  id: "public.privacy.confirm",
  method: "POST",
  path: "/privacy/:token",
  summary: "Confirm a privacy request. A POST, because mail scanners open links",
  ...link,
  body: z.strictObject({}).default({}),
  form: true,
  example: { params: linkParams, body: {} },
  async handle({ params: { token } }, ctx) {
    const { part, id } = requireLink(ctx, PURPOSE, token);
    const request = await ctx.runTx(part, async (tx) => {
      const stored = await tx.require(privacyRequests, id);
      // Pressed twice, or too late: the page shows the state.
      if (stored.value.status !== "received") return stored.value;
      return tx.put(privacyRequests, stored, verified(stored.value, "person", ctx.nowAt)).value;
    });
    return page(request, token);
  },
});

const fetchExport = defineOpenRoute({
  id: "public.privacy.export",
  method: "GET",
  path: "/privacy/:token/export",
  summary: "Download the export",
  ...link,
  rawType: "application/zip",
  errors: [...link.errors, noExport],
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { part, request } = await read(ctx, token);
    return zipReply(ctx.runTx, part, request);
  },
});

async function read(ctx: OpenCtx, token: string): Promise<{ part: string; request: PrivacyRequest }> {
  const { part, id } = requireLink(ctx, PURPOSE, token);
  return { part, request: (await ctx.runTx(part, (tx) => tx.require(privacyRequests, id))).value };
}

const WISHES = {
  export: "a copy of all data stored about you",
  erase: "the erasure of all data stored about you",
} as const;

function page(request: PrivacyRequest, token: string): Reply<never> {
  return dressed({
    title: "Your data",
    body: html`<main>
      <h1>Your data</h1>
      <p>You requested ${WISHES[request.type]}.</p>
      ${stateOf(request, `/api/public/privacy/${token}`)}
    </main>`,
  });
}

function stateOf(request: PrivacyRequest, path: string): Html {
  const { status, type, expires_at: until, email } = request;
  if (status === "received") {
    return html`<p>
        ${type === "erase" ? "This cannot be undone." : "You can download it here when it is ready."} Please
        confirm by ${showDate((until ?? "").slice(0, 10))}.
      </p>
      <form method="post" action="${path}"><button>Confirm</button></form>`;
  }
  if (status === "verified")
    return html`<p role="status">Your request is being processed. Check this page again later.</p>`;
  if (status === "rejected")
    return html`<p role="status">The request was rejected or not confirmed in time.</p>`;
  if (type === "erase")
    return html`<p role="status">Your request is complete.</p>
      ${retainedOf(request)}`;
  return email === null
    ? html`<p role="status">The download has expired: it was available for two weeks.</p>`
    : html`<p role="status"><a href="${path}/export">Download your data</a></p>`;
}

/** What the law keeps, in words for the person. */
const retainedOf = ({ evidence: { retained } }: PrivacyRequest): Html =>
  html`${retained.map(
    ({ reason, until }) =>
      html`<p>Some data must be retained until ${showDate(until)} and is erased then: ${reason}</p>`,
  )}`;

export const privacyLinkRoutes = [show, confirm, fetchExport];

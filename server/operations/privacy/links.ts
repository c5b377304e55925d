import { z } from "zod";

import { fail } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { createPage } from "../../core/page.ts";
import { showRefusal } from "../../core/refusal.ts";
import type { Refused } from "../../core/route.ts";
import { defineOpenRoute } from "../../core/route.ts";
import type { OpenCtx, Reply } from "../../core/route.ts";
import { showDate } from "../../lib/show.ts";
import { openConfirmToken, verified } from "./ask.ts";
import { noExport, zipReply } from "./routes.ts";
import { privacyRequests } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";

const Params = z.object({ token: z.string().max(300) });
const params = { token: "c3RvXzAxLnBydl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };
const missing = { type: "not_found", when: "The link is invalid, or its request no longer exists" } as const;

const show = defineOpenRoute({
  id: "public.privacy.show",
  method: "GET",
  path: "/privacy/:token",
  summary: "Page to confirm a privacy request",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  errors: [missing],
  hidden: true,
  example: { params },
  handle: async ({ params: { token } }, ctx) => page((await read(ctx, token)).request, token),
});

const confirm = defineOpenRoute({
  id: "public.privacy.confirm",
  method: "POST",
  path: "/privacy/:token",
  summary: "Confirm a privacy request. A POST, because mail scanners open links",
  params: Params,
  body: z.strictObject({}).default({}),
  data: z.string(),
  rawType: "text/html",
  refusal,
  form: true,
  errors: [missing],
  hidden: true,
  example: { params, body: {} },
  async handle({ params: { token } }, ctx) {
    const { part, id } = placeOf(ctx, token);
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
  params: Params,
  data: z.string(),
  rawType: "application/zip",
  errors: [missing, noExport],
  hidden: true,
  example: { params },
  async handle({ params: { token } }, ctx) {
    const { part, request } = await read(ctx, token);
    return zipReply(ctx.runTx, part, request);
  },
});

function placeOf(ctx: OpenCtx, token: string) {
  const place = openConfirmToken(ctx.ports, token);
  if (place === null)
    throw fail("not_found", "This link is invalid or has expired. Use the link in your latest mail.");
  return place;
}

async function read(ctx: OpenCtx, token: string): Promise<{ part: string; request: PrivacyRequest }> {
  const { part, id } = placeOf(ctx, token);
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

function refusal(refused: Refused): Reply<never> {
  return showRefusal(dressed, refused);
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1rem}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}a{color:#6cb6ff}}";
const dressed = createPage(STYLE);

export const privacyLinkRoutes = [show, confirm, fetchExport];

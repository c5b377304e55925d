import { z } from "zod";

import { readFace } from "../../core/face.ts";
import type { Face } from "../../core/face.ts";
import { linkErrors, linkPage as link, linkParams, requireLink } from "../../core/link-page.ts";
import { TAX_REASON } from "../../core/retention.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { defineOpenRoute } from "../../core/route.ts";
import type { Reply } from "../../core/reply.ts";
import type { OpenCtx } from "../../core/route.ts";
import { PURPOSE, verified } from "./ask.ts";
import { noExport, zipReply } from "./routes.ts";
import { privacyRequests } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";

const show = defineOpenRoute({
  id: "public.privacy.show",
  method: "GET",
  path: "/privacy/:token",
  summary: "Page to confirm a privacy request",
  ...link(PURPOSE),
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { face, request } = await read(ctx, token);
    return page(face, request, token);
  },
});

const confirm = defineOpenRoute({
  id: "public.privacy.confirm",
  method: "POST",
  path: "/privacy/:token",
  summary: "Confirm a privacy request. A POST, because mail scanners open links",
  ...link(PURPOSE),
  body: z.strictObject({}).default({}),
  form: true,
  example: { params: linkParams, body: {} },
  async handle({ params: { token } }, ctx) {
    const { part, id } = requireLink(ctx, PURPOSE, token);
    return ctx.runTx(part, async (tx) => {
      const face = await readFace(ctx, tx);
      const stored = await tx.require(privacyRequests, id);
      // Pressed twice, or too late: the page shows the state.
      if (stored.value.status !== "received") return page(face, stored.value, token);
      const next = tx.put(privacyRequests, stored, verified(stored.value, "person", ctx.nowAt));
      return page(face, next.value, token);
    });
  },
});

const fetchExport = defineOpenRoute({
  id: "public.privacy.export",
  method: "GET",
  path: "/privacy/:token/export",
  summary: "Download the export",
  ...link(PURPOSE),
  rawType: "application/zip",
  errors: [...linkErrors, noExport],
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { part, request } = await read(ctx, token);
    return zipReply(ctx.runTx, part, request);
  },
});

async function read(
  ctx: OpenCtx,
  token: string,
): Promise<{ readonly part: string; readonly request: PrivacyRequest; readonly face: Face }> {
  const { part, id } = requireLink(ctx, PURPOSE, token);
  return ctx.runTx(part, async (tx) => ({
    part,
    request: (await tx.require(privacyRequests, id)).value,
    face: await readFace(ctx, tx),
  }));
}

const page = (face: Face, request: PrivacyRequest, token: string): Reply<never> =>
  face.page({
    title: face.say("privacy.title"),
    body: html`<main>
      <h1>${face.say("privacy.title")}</h1>
      <p>${face.say(request.type === "erase" ? "privacy.wish_erase" : "privacy.wish_export")}</p>
      ${stateOf(face, request, `/api/public/privacy/${token}`)}
    </main>`,
  });

function stateOf(face: Face, request: PrivacyRequest, path: string): Html {
  const { date, say } = face;
  const { status, type, expires_at: until, email } = request;
  if (status === "received") {
    return html`<p>
        ${say(type === "erase" ? "privacy.final" : "privacy.download_here")}
        ${say("privacy.confirm_by", { date: date((until ?? "").slice(0, 10)) })}
      </p>
      <form method="post" action="${path}"><button>${say("privacy.confirm")}</button></form>`;
  }
  if (status === "verified") return html`<p role="status">${say("privacy.processing")}</p>`;
  if (status === "rejected") return html`<p role="status">${say("privacy.rejected")}</p>`;
  if (type === "erase")
    return html`<p role="status">${say("privacy.complete")}</p>
      ${retainedOf(face, request)}`;
  return email === null
    ? html`<p role="status">${say("privacy.expired")}</p>`
    : html`<p role="status"><a href="${path}/export">${say("privacy.download")}</a></p>`;
}

/** What the law keeps, in words for the person. */
const retainedOf = ({ date, say }: Face, { evidence: { retained } }: PrivacyRequest): Html =>
  html`${retained.map(
    ({ reason, until }) =>
      html`<p>
        ${say("privacy.retained", {
          date: date(until),
          reason: reason === TAX_REASON ? say("privacy.tax_law") : reason,
        })}
      </p>`,
  )}`;

export const privacyLinkRoutes = [show, confirm, fetchExport];

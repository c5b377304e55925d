import { z } from "zod";

import { showRefusal } from "../../../core/refusal.ts";
import { ok, raw } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { embedScript } from "../data/embed-script.ts";
import { makeChallenge } from "../services/captcha.ts";
import { findLiveForm, liveForm } from "../services/live-form.ts";
import { embedWords } from "../services/read-form.ts";
import { tally } from "../services/tally.ts";
import { visitedWork } from "../services/work.ts";
import { prefilled } from "../rules/render-form.ts";
import { Challenge } from "./open-forms.ts";
import { NOTHING_SENT, faceOf, formPage, nowhere, resumedPage, whyNot } from "./public-form-page.ts";
import { PublicParams as Params, formPart, publicParams as params, targetOf } from "./env.ts";

const show = defineOpenRoute({
  id: "public.forms.show",
  method: "GET",
  path: "/forms/:public_id",
  open: "public",
  summary: "Show a page with a form that works without script",
  description:
    "`resume` is that of a link to a saved submission: its answers are filled in. Other parameters prefill the fields that specify them.",
  params: Params,
  paidBy: formPart,
  query: z.object({ resume: z.string().max(200).optional() }).catchall(z.string()),
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  refusal: (refused) => showRefusal(refused),
  example: { params },
  async handle({ params: { public_id: publicId }, query: { resume, ...given } }, ctx) {
    const target = targetOf(publicId);
    if (target === null) return nowhere(ctx);
    return ctx.runTx(target.part, async (tx) => {
      const live = await findLiveForm(tx, target.formId);
      if (live === null) return nowhere(ctx);
      const work = await visitedWork(ctx, tx);
      const face = await faceOf(ctx, tx, live);
      const refusal = whyNot(face, live, work.now);
      if (refusal !== null) return refusal;
      const view = { face, work, live, content: live.content };
      if (resume !== undefined) return resumedPage(view, resume);
      await tally(work, live.form.id, { views: 1 });
      const values = prefilled(live.content.fields, given);
      return formPage(view, { ...NOTHING_SENT, values, status: 200 });
    });
  },
});

const script = defineOpenRoute({
  id: "public.forms.script",
  method: "GET",
  path: "/forms/:public_id/embed.js",
  open: "public",
  summary: "Show the script that embeds a form in a page",
  params: Params,
  paidBy: formPart,
  data: z.string(),
  rawType: "text/javascript",
  hidden: true,
  example: { params },
  async handle({ params: { public_id: publicId } }, ctx) {
    const target = targetOf(publicId);
    const shown =
      target === null
        ? null
        : await ctx.runTx(target.part, async (tx) => {
            const live = await findLiveForm(tx, target.formId);
            return live === null ? null : { id: live.form.id, words: await embedWords(tx, live.content) };
          });
    if (shown === null) return nowhere(ctx);
    return raw("text/javascript; charset=utf-8", embedScript(ctx.baseUrl, shown.id, shown.words), {
      headers: { "Cache-Control": "public, max-age=300", "Cross-Origin-Resource-Policy": "cross-origin" },
    });
  },
});

const challenge = defineOpenRoute({
  id: "public.forms.captcha",
  method: "GET",
  path: "/forms/:public_id/captcha",
  open: "public",
  summary: "Show a puzzle for a widget of altcha.org",
  params: Params,
  paidBy: formPart,
  data: Challenge,
  hidden: true,
  example: { params },
  async handle({ params: { public_id: publicId } }, ctx) {
    const target = targetOf(publicId);
    return ctx.runTx(target?.part ?? "none", async (tx) => {
      const live = await liveForm(tx, target?.formId ?? "");
      const { now, part, ports } = await visitedWork(ctx, tx);
      return ok(await makeChallenge({ now, part, ports }, live.form.id));
    });
  },
});

export const publicFormRoutes = [show, script, challenge];

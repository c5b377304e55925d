import { z } from "zod";

import { Problem } from "../../../lib/errors.ts";
import { checkFormToken, formSigner } from "../../../core/form-token.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { isEmpty } from "../rules/condition.ts";
import { gatherParts } from "../rules/render-form.ts";
import type { Walk } from "../rules/walk.ts";
import { REVIEW, faultsIn, faultyStep, nextPage } from "../rules/walk.ts";
import type { Fault } from "../schema/submission.ts";
import { storePosted } from "../services/posted-files.ts";
import type { LiveForm } from "../services/live-form.ts";
import { findLiveForm } from "../services/live-form.ts";
import { findResumed, savePartial } from "../services/partial.ts";
import type { Sending } from "../services/submit.ts";
import { shownContent, submit } from "../services/submit.ts";
import type { FormsWork } from "../services/work.ts";
import { visitedWork } from "../services/work.ts";
import { PublicParams as Params, formPart, publicParams as params, targetOf } from "./env.ts";
import { guardOrigin } from "./open-forms.ts";
import type { View } from "./public-form-page.ts";
import {
  alreadySent,
  faceOf,
  formPage,
  note,
  nowhere,
  readSteps,
  reasonIn,
  savedPage,
  thanks,
  whyNot,
} from "./public-form-page.ts";

/** A plain HTML form sends any fields. */
const Body = z.record(z.string().max(100), z.unknown());
type Body = z.output<typeof Body>;

const page = {
  params: Params,
  body: Body,
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  refusal: showRefusal,
} as const;

const send = defineOpenRoute({
  ...page,
  id: "public.forms.send",
  method: "POST",
  path: "/forms/:public_id",
  open: "submit",
  summary: "Submit or save a form from a page without script",
  description:
    "urlencoded or multipart. Responds with a 303 redirect to the form's success_url if its origin is the store's " +
    "own, otherwise with a small page. A step with files is sent here as well.",
  form: "multipart",
  paidBy: formPart,
  example: { params, body: { name: "Ada Byron" } },
  handle: ({ body, params: { public_id: publicId } }, ctx) =>
    onForm(ctx, publicId, async (live, part) => {
      let answers = gatherParts(body);
      try {
        // Files that are stored are not sent again by a page with faults.
        const stored = (answers = await storePosted(ctx, live, part, answers));
        return await ctx.runTx(part, async (tx) => {
          const view = await viewOf(ctx, tx, live, body);
          const walk = walkOf(body);
          if (walk?.go === "save") return saved(view, sendingOf(view, ctx, body, stored), body);
          if (walk !== null && walk.go !== "send") return moved(view, walk, { body, answers: stored });
          return sent(view, ctx, body, stored);
        });
      } catch (error) {
        const faults = faultsOf(error);
        return ctx.runTx(part, async (tx) =>
          faulty(await viewOf(ctx, tx, live, body), body, answers, faults),
        );
      }
    }),
});

const steps = defineOpenRoute({
  ...page,
  id: "public.forms.step",
  method: "POST",
  path: "/forms/:public_id/steps",
  open: "submit",
  dryRun: true,
  paidBy: formPart,
  summary: "Move between the steps of a form on a page without script",
  form: true,
  example: { params, body: {} },
  handle: ({ body, params: { public_id: publicId } }, ctx) =>
    onForm(ctx, publicId, (live, part) =>
      ctx.runTx(part, async (tx) => {
        const view = await viewOf(ctx, tx, live, body);
        const walk = walkOf(body) ?? { step: "", go: "next", reviewed: false };
        return moved(view, walk, { body, answers: gatherParts(body) });
      }),
    ),
});

/** Runs for a published form that is open; shows a page in every other case, before any file is stored. */
async function onForm(
  ctx: OpenCtx,
  publicId: string,
  run: (live: LiveForm, part: string) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const target = targetOf(publicId);
  if (target === null) return nowhere(ctx);
  const found = await ctx.runTx(target.part, async (tx) => {
    const live = await findLiveForm(tx, target.formId);
    return live === null ? null : { live, face: await faceOf(ctx, tx, live) };
  });
  if (found === null) return nowhere(ctx);
  return whyNot(found.face, found.live, ctx.now) ?? run(found.live, target.part);
}

/** The form of this transaction, in the version that the page showed. */
async function viewOf(ctx: OpenCtx, tx: FormsWork["tx"], before: LiveForm, body: Body): Promise<View> {
  const work = await visitedWork(ctx, tx);
  const live = (await findLiveForm(tx, before.form.id)) ?? before;
  const sign = formSigner(work.ports, work.part);
  const about = { form: live.form.id, origin: null, now: work.now, sign };
  const { token } = checkFormToken(text(body["_token"]) ?? "", about);
  const { content } = await shownContent(work, live, token?.v ?? null);
  return { face: await faceOf(ctx, tx, live), work, live, content };
}

/** Where the page was; null for a form that is sent as a whole. */
function walkOf(body: Body): Walk | null {
  const go = text(body["_go"]);
  if (go === undefined) return null;
  return { go, step: text(body["_step"]) ?? "", reviewed: body["_reviewed"] === "1" };
}

interface Answered {
  readonly body: Body;
  readonly answers: Readonly<Record<string, unknown>>;
}

const shownOf = ({ answers, body }: Answered) => ({
  values: answers,
  token: text(body["_token"]),
  resume: text(body["_resume"]) ?? null,
  reviewed: body["_reviewed"] === "1",
});

/** Another step, or the same one with its faults. */
async function moved(view: View, walk: Walk, answered: Answered): Promise<Reply<never>> {
  const read = await readSteps(view, answered.answers, "whole");
  const { steps: open } = read;
  const shown = { ...shownOf(answered), read };
  const own = faultsIn(
    open.find(({ key }) => key === walk.step),
    read.faults,
  );
  if (walk.go === "next" && own.length > 0)
    return formPage(view, { ...shown, faults: own, status: 422, page: walk.step });
  const next = nextPage(open, walk, read.faults);
  // A step that was reached because it has faults shows them; one that follows has not been filled in yet.
  const isReturned =
    walk.go === "next" && (walk.reviewed || walk.step === open.at(-1)?.key) && next !== REVIEW;
  const faults = isReturned
    ? faultsIn(
        open.find(({ key }) => key === next),
        read.faults,
      )
    : [];
  return formPage(view, { ...shown, faults, status: 200, page: next });
}

async function faulty(
  view: View,
  body: Body,
  values: Readonly<Record<string, unknown>>,
  faults: readonly Fault[],
): Promise<Reply<never>> {
  const read = await readSteps(view, values, "partial");
  const at = faultyStep(read.steps, faults) ?? text(body["_step"]) ?? REVIEW;
  return formPage(view, { ...shownOf({ body, answers: values }), read, faults, status: 422, page: at });
}

async function saved(view: View, sending: Sending, body: Body): Promise<Reply<never>> {
  const { live, work } = view;
  guardOrigin(work, live, sending.origin);
  const before = await findResumed(work, live.form.id, text(body["_resume"]) ?? "");
  if (before !== null && before.value.status !== "partial") return alreadySent(view);
  // An upload is gone within the hour: the visitor chooses the file again.
  const raw = Object.fromEntries(
    view.content.fields.map(({ key, type }) => [key, type === "file" ? "" : (sending.raw[key] ?? "")]),
  );
  const { receipt, until } = await savePartial(work, live, { ...sending, raw, partial: before });
  return savedPage(view, receipt, until);
}

async function sent(
  view: View,
  ctx: OpenCtx,
  body: Body,
  answers: Readonly<Record<string, unknown>>,
): Promise<Reply<never>> {
  const { face, live, work } = view;
  const refusal = whyNot(face, live, work.now);
  if (refusal !== null) return refusal;
  const partial = await findResumed(work, live.form.id, text(body["_resume"]) ?? "");
  if (partial !== null && partial.value.status !== "partial") return alreadySent(view);
  const sending = { ...sendingOf(view, ctx, body, answers), partial };
  try {
    guardOrigin(work, live, sending.origin);
    return thanks(view, await submit(work, live, sending));
  } catch (error) {
    if (error instanceof Problem && (error.type === "conflict" || error.type === "forbidden")) {
      const status = error.type === "conflict" ? 409 : 403;
      return note(face, status, [live.content.name, reasonIn(face, error)]);
    }
    throw error;
  }
}

function sendingOf(
  { content, live, work }: View,
  ctx: OpenCtx,
  body: Body,
  raw: Readonly<Record<string, unknown>>,
): Sending {
  const { address_hash: visitor } = ctx.visitor();
  return {
    formId: live.form.id,
    channel: "nojs",
    token: text(body["_token"]),
    captcha: text(body["altcha"] ?? body["cf-turnstile-response"] ?? body["h-captcha-response"]),
    honeypot: !isEmpty(body[content.settings.honeypot_field]),
    origin: originOf(work, ctx, live.form.id, text(body["_token"])),
    visitor,
    once: body,
    raw,
    consents: [body["consents"]].flat().filter((key) => typeof key === "string"),
    about: {
      locale: null,
      page_url: ctx.header("referer")?.slice(0, 2_000) ?? null,
      referrer: null,
      utm: {},
    },
    partial: null,
  };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Origin of the page. Our own pages send no referrer, so that browsers send `Origin: null`:
 * the form token is used instead.
 */
function originOf(work: FormsWork, ctx: OpenCtx, formId: string, token: string | undefined): string | null {
  const { origin } = ctx.visitor();
  if (origin !== null && origin !== "null") return origin;
  const referer = ctx.header("referer");
  if (referer !== undefined && URL.canParse(referer)) return new URL(referer).origin;
  const own = new URL(work.ports.baseUrl).origin;
  const sign = formSigner(work.ports, work.part);
  const judged = checkFormToken(token ?? "", { form: formId, origin: null, now: work.now, sign });
  return judged.token?.o === own ? own : null;
}

/** Errors that a person can correct; all others are rethrown. */
function faultsOf(error: unknown): Fault[] {
  const isCorrectable =
    error instanceof Problem &&
    (error.type === "unprocessable_content" || error.type === "content_too_large");
  if (!isCorrectable) throw error;
  return (error.options.errors ?? []).map(({ detail, pointer = "" }) => ({
    field: pointer.split("/").at(-1) ?? "",
    code: "invalid",
    message: detail,
  }));
}

export const publicAnswerRoutes = [send, steps];

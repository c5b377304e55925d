import { Problem } from "../../../lib/errors.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { checkFormToken, formSigner, mintFormToken } from "../../../core/form-token.ts";
import { plainFace, readFace } from "../../../core/face.ts";
import type { Face } from "../../../core/face.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { raw } from "../../../core/reply.ts";
import { runInSlices } from "../../../lib/slices.ts";
import type { Tx } from "../../../core/tx.ts";
import { files, readSettings } from "../repository.ts";
import { renderForm } from "../rules/render-form.ts";
import { typedAnswer } from "../rules/render-field.ts";
import { renderSave, renderStep } from "../rules/render-walk.ts";
import { REVIEW, faultyStep, openSteps } from "../rules/walk.ts";
import type { OpenStep } from "../rules/walk.ts";
import type { ReadAnswers } from "../rules/read-answers.ts";
import type { FormContent } from "../schema.ts";
import type { Fault, Receipt, Submission } from "../schema/submission.ts";
import type { LiveForm } from "../services/live-form.ts";
import { assertOpen } from "../services/live-form.ts";
import { findResumed } from "../services/partial.ts";
import { readForm } from "../services/read-form.ts";
import { allowedUrl } from "../services/submit.ts";
import type { FormsWork } from "../services/work.ts";
import { actionUrl } from "./env.ts";

/** A form as it is shown to a visitor. */
export interface View {
  readonly face: Face;
  readonly work: FormsWork;
  readonly live: LiveForm;
  /** The version that the visitor fills in. */
  readonly content: FormContent;
}

/** Answers as they were read, and the steps that are shown with them. */
export interface ReadSteps extends Pick<ReadAnswers, "data" | "faults"> {
  readonly steps: readonly OpenStep[];
}

/** Evaluates the conditions of a form of several steps, which takes time: once in each request. */
export async function readSteps(
  { content, work }: View,
  values: Shown["values"],
  extent: "whole" | "partial",
): Promise<ReadSteps> {
  const { data, faults } = await readForm(content, values, { extent, unknown: "ignore", key: work.part });
  return { data, faults, steps: await openSteps(content, data, work.part) };
}

export interface Shown {
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
  readonly status: number;
  /** The values as they were read; undefined: they were not. */
  readonly read?: ReadSteps;
  /** The previous token of the page. */
  readonly token?: string | undefined;
  /** Key of the step, or REVIEW; undefined: the first. */
  readonly page?: string | undefined;
  readonly reviewed?: boolean;
  readonly resume?: string | null;
}
export const NOTHING_SENT = { values: {}, faults: [] };

/** A form is in its own language, where it has one; else in that of the visitor or the store. */
export const faceOf = async (ctx: OpenCtx, tx: Tx, { content }: LiveForm): Promise<Face> =>
  (await readFace(ctx, tx)).with({
    name: (await readSettings(tx)).shop_name,
    locale: content.locales[0] ?? null,
  });

/** A page with the whole form, or with one of its steps. */
export async function formPage(view: View, shown: Shown): Promise<Reply<never>> {
  const { content, face } = view;
  const body = await (content.steps.length === 0 ? wholeForm(view, shown) : oneStep(view, shown));
  // Browsers apply this policy to the redirect after a form post as well.
  const url = allowedUrl(view.work, content.settings.success_url);
  const policy = url === null ? {} : { policy: `form-action 'self' ${new URL(url).origin}` };
  return face.page({
    ...policy,
    status: shown.status,
    title: content.name,
    // Its words are those of its author, also where the page has none in that language.
    body: html`<main lang="${content.locales[0] ?? face.locale}" dir="auto">
      <h1>${content.name}</h1>
      ${shown.faults.length === 0 ? null : html`<p class="note bad" role="alert">${face.say("form.check_fields")}</p>`}
      ${body}
    </main>`,
  });
}

function wholeForm(
  { content, face, live, work }: View,
  { faults, resume, token, values }: Shown,
): Promise<Html> {
  const saved = resume == null ? null : html`<input type="hidden" name="_resume" value="${resume}" />`;
  const form = renderForm(content, {
    action: actionUrl(work.ports.baseUrl, work.part, live.form.id),
    prefix: "form",
    words: face,
    token: tokenFor(work, live, token),
    values,
    faults,
    buttons: html`${renderSave(content, face)}${saved}`,
  });
  return runInSlices(form, work.part);
}

async function oneStep(view: View, shown: Shown): Promise<Html> {
  const { content, face, live, work } = view;
  const { data, steps } = shown.read ?? (await readSteps(view, shown.values, "partial"));
  const step = renderStep(content, {
    action: actionUrl(work.ports.baseUrl, work.part, live.form.id),
    prefix: "form",
    words: face,
    token: tokenFor(work, live, shown.token),
    values: shown.values,
    faults: shown.faults,
    page: shown.page ?? steps[0]?.key ?? REVIEW,
    reviewed: shown.reviewed ?? false,
    steps,
    data,
    fileNames: await namesOf(work.tx, content, data),
    resume: shown.resume ?? null,
  });
  return runInSlices(step, work.part);
}

async function namesOf(
  tx: Tx,
  { fields }: FormContent,
  data: Submission["data"],
): Promise<ReadonlyMap<string, string>> {
  const ids = fields.flatMap(({ key, type }) => (type === "file" ? [data[key] ?? []].flat() : []));
  const names = new Map<string, string>();
  for (const id of ids) {
    const file = typeof id === "string" ? await tx.get(files, id) : null;
    if (file !== null) names.set(file.id, file.value.name);
  }
  return names;
}

/** The page of a link to a saved submission: at the first step that is not complete. */
export async function resumedPage(view: View, resume: string): Promise<Reply<never>> {
  const { content, face, live, work } = view;
  const saved = await findResumed(work, live.form.id, resume);
  if (saved === null) {
    const again = actionUrl(work.ports.baseUrl, work.part, live.form.id);
    const text = html`${face.say("form.link_text")} <a href="${again}">${face.say("form.open_again")}</a>`;
    return note(face, 404, [content.name, text]);
  }
  if (saved.value.status !== "partial") return alreadySent(view);
  const values = Object.fromEntries(
    content.fields.flatMap((field) => {
      const answer = saved.value.data[field.key];
      return answer === undefined ? [] : [[field.key, typedAnswer(field, answer)]];
    }),
  );
  const read = await readSteps(view, values, "whole");
  const page = faultyStep(read.steps, read.faults) ?? REVIEW;
  return formPage(view, { ...NOTHING_SENT, values, read, status: 200, page, resume });
}

export const alreadySent = ({ content, face }: View): Reply<never> =>
  note(face, 409, [content.name, face.say("form.already_sent")]);

/** The page after the answers were saved, with the only link to them. */
export function savedPage(
  { content, face, live, work }: View,
  receipt: Receipt,
  until: string,
): Reply<never> {
  const action = actionUrl(work.ports.baseUrl, work.part, live.form.id);
  const url = `${action}?resume=${receipt.id}.${receipt.resume_token ?? ""}`;
  const hasFiles = content.fields.some(({ type }) => type === "file");
  return face.page({
    title: content.name,
    body: html`<main>
      <h1>${face.say("form.saved")}</h1>
      <p>${face.say("form.saved_text", { date: face.date(until.slice(0, 10)) })}</p>
      ${hasFiles ? html`<p>${face.say("form.saved_files")}</p>` : null}
      <p class="key"><a href="${url}">${url}</a></p>
    </main>`,
  });
}

/** Refusals are described in English. */
export function reasonIn(face: Face, { detail, options }: Problem): string {
  if (options.code === "duplicate") return face.say("form.duplicate");
  return face.locale.startsWith("en") ? detail : face.say("form.closed");
}

export const note = (
  face: Face,
  status: number,
  [title, detail]: readonly [string, string | Html],
): Reply<never> =>
  face.page({
    status,
    title,
    body: html`<main>
      <h1>${title}</h1>
      <p class="note">${detail}</p>
    </main>`,
  });

export function nowhere(ctx: OpenCtx): Reply<never> {
  const face = plainFace(ctx);
  return note(face, 404, [face.say("form.missing_title"), face.say("form.missing_text")]);
}

export function whyNot(face: Face, live: LiveForm, now: number): Reply<never> | null {
  try {
    assertOpen(live, now);
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const status = error.type === "gone" ? 410 : error.type === "not_found" ? 404 : 409;
    return note(face, status, [live.content.name, reasonIn(face, error)]);
  }
}

export function thanks({ content, face }: View, receipt: Receipt): Reply<never> {
  if (receipt.redirect_url !== null) {
    // As a header has it: the characters of a stored URL may be any.
    const { href } = new URL(receipt.redirect_url);
    return raw("text/plain; charset=utf-8", "", { status: 303, headers: { Location: href } });
  }
  return face.page({
    title: content.name,
    body: html`<main lang="${content.locales[0] ?? face.locale}" dir="auto">
      <h1>${content.name}</h1>
      <p class="note" role="status">${receipt.message}</p>
      <p class="soft">${face.say("form.reference", { reference: receipt.respondent_ref })}</p>
    </main>`,
  });
}

/** Correcting a field does not make a visitor look faster: a valid token is reused. */
function tokenFor({ newId, now, part, ports }: FormsWork, { form, version }: LiveForm, before = ""): string {
  const sign = formSigner(ports, part);
  const { verdict } = checkFormToken(before, { form: form.id, origin: null, now, sign });
  if (verdict === "ok" || verdict === "too_fast") return before;
  const o = new URL(ports.baseUrl).origin;
  const n = newId("n").replaceAll("_", "");
  return mintFormToken({ f: form.id, v: version, o, iat: Math.floor(now / 1000), n }, sign);
}

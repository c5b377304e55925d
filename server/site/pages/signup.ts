import { z } from "zod";

import { ERRORS, Problem } from "../../lib/errors.ts";
import type { Reply } from "../../core/reply.ts";
import { actorOf } from "../../accounts/change.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { chooseLocale, wordsIn } from "../../core/words.ts";
import type { MessageKey, Words } from "../../core/words.ts";
import { signUp } from "../../accounts/signup/sign-up.ts";
import { SignupBody, takeSignup } from "../../accounts/signup/route.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { shorten } from "../../lib/shorten.ts";
import { page } from "./layout.ts";

export const signupFormRoute = defineOperationsRoute({
  id: "pages.signup.show",
  method: "GET",
  path: "/signup",
  summary: "Signup form",
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  example: {},
  handle: async (_input, ctx) =>
    formPage(visitorWords(ctx), { values: { email: "", storeIdentifier: "" }, wrong: {}, status: 200 }),
});

/** What the form sent; the form itself, not the gate in front, reports what is wrong with it. */
const FormBody = z.object({ email: z.string().default(""), storeIdentifier: z.string().default("") });

export const signupSubmitRoute = defineOperationsRoute({
  id: "pages.signup.submit",
  method: "POST",
  path: "/signup",
  summary: "Submit the signup form",
  body: FormBody,
  data: z.string(),
  rawType: "text/html",
  hidden: true,
  form: true,
  example: { body: { email: "dev@bakery.example", storeIdentifier: "demo-bakery" } },
  handle: ({ body }, ctx) => submit(body, ctx),
});

/** The words of the language that the browser asks for. */
export const visitorWords = ({ header }: Pick<OperationsCtx, "header">): Words =>
  wordsIn(chooseLocale(header("accept-language"), null));

type Values = z.output<typeof FormBody>;

async function submit(values: Values, ctx: OperationsCtx): Promise<Reply<never>> {
  const words = visitorWords(ctx);
  const parsed = SignupBody.safeParse(values);
  if (!parsed.success) {
    const wrong = Object.fromEntries(
      parsed.error.issues.map(({ path, message }): [string, string] => [
        String(path[0]),
        saidIn(words, message, path[0] === "email" ? "signup.wrong_email" : "signup.wrong_store"),
      ]),
    );
    return formPage(words, { values, wrong, status: 422 });
  }
  try {
    await takeSignup(ctx);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const form = saidIn(words, error.detail, "refusal.too_many_requests.text");
    return formPage(words, { values, wrong: { form }, status: ERRORS[error.type].status });
  }
  const { emailSent } = await signUp(ctx.deps, actorOf(ctx), parsed.data);
  return sentPage(words, {
    to: parsed.data.email,
    emailSent,
    hasInbox: ctx.deps.config.mail.transport === "dev",
  });
}

/** What is wrong is described in English, more precisely than a message of the catalogue. */
const saidIn = ({ locale, say }: Words, detail: string, key: MessageKey): string =>
  locale.startsWith("en") ? detail : say(key);

interface Form {
  readonly values: Values;
  /** What is wrong, by field; `form` is above all fields. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly status: number;
}

/** Characters of a value that the form shows again, more than it takes: in a body of a megabyte each may become five. */
const SHOWN_CHARS = 1_000;

const formPage = (words: Words, { values, wrong, status }: Form): Reply<never> => {
  const { say } = words;
  return page(
    {
      title: say("signup.short"),
      status,
      body: html`<h1>${say("signup.title")}</h1>
        <p class="lead">${say("signup.lead")}</p>
        ${wrong["form"] !== undefined && html`<p class="note bad" role="alert">${wrong["form"]}</p>`}
        <form method="post" action="/signup">
          <label for="email">${say("signup.email")}</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="email"
            required
            maxlength="254"
            value="${shorten(values.email, SHOWN_CHARS)}"
            ${state("email", wrong)}
          />
          ${complaint("email", wrong)}
          <label for="storeIdentifier">${say("signup.store")}</label>
          <input
            id="storeIdentifier"
            name="storeIdentifier"
            autocomplete="organization"
            autocapitalize="off"
            spellcheck="false"
            required
            maxlength="255"
            value="${shorten(values.storeIdentifier, SHOWN_CHARS)}"
            ${state("storeIdentifier", wrong)}
          />
          ${complaint("storeIdentifier", wrong)}
          <p class="hint">${say("signup.store_hint")}</p>
          <button type="submit">${say("signup.send")}</button>
        </form>
        <p class="soft">
          ${say("signup.api")} <a href="/docs/reference/signup">${say("signup.reference")}</a>.
          ${say("signup.lost")}
        </p>`,
    },
    words,
  );
};

const state = (name: string, wrong: Form["wrong"]): Html | null =>
  wrong[name] === undefined ? null : html`aria-invalid="true" aria-describedby="${name}-wrong"`;

const complaint = (name: string, wrong: Form["wrong"]): Html | null =>
  wrong[name] === undefined ? null : html`<p class="wrong" id="${name}-wrong">${wrong[name] ?? ""}</p>`;

interface Sent {
  readonly to: string;
  readonly emailSent: boolean;
  readonly hasInbox: boolean;
}

function sentPage(words: Words, { to, emailSent, hasInbox }: Sent): Reply<never> {
  const { say } = words;
  const inbox = hasInbox && html`<p class="note"><a href="/_/inbox">${say("signup.inbox")}</a></p>`;
  const [title, text] = emailSent
    ? (["signup.sent_title", "signup.sent_text"] as const)
    : (["signup.unsent_title", "signup.unsent_text"] as const);
  return page(
    {
      title: say(title),
      body: html`<h1>${say(title)}</h1>
        <p>${say(text, { to })}</p>
        ${inbox}
        <p class="soft">${emailSent && say("signup.again")} <a href="/signup">${say("signup.short")}</a></p>`,
    },
    words,
  );
}

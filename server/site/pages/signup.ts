import { z } from "zod";

import { ERRORS, Problem } from "../../lib/errors.ts";
import type { Reply } from "../../core/route.ts";
import { actorOf } from "../../accounts/change.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { signUp } from "../../accounts/signup/sign-up.ts";
import { SignupBody, takeSignup } from "../../accounts/signup/route.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
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
  handle: async () => formPage({ values: { email: "", storeIdentifier: "" }, wrong: {}, status: 200 }),
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

type Values = z.output<typeof FormBody>;

async function submit(values: Values, ctx: OperationsCtx): Promise<Reply<never>> {
  const parsed = SignupBody.safeParse(values);
  if (!parsed.success) {
    const wrong = Object.fromEntries(
      parsed.error.issues.map(({ path, message }) => [String(path[0]), message]),
    );
    return formPage({ values, wrong, status: 422 });
  }
  try {
    await takeSignup(ctx);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return formPage({ values, wrong: { form: error.detail }, status: ERRORS[error.type].status });
  }
  const { emailSent } = await signUp(ctx.deps, actorOf(ctx), parsed.data);
  return sentPage({ to: parsed.data.email, emailSent, hasInbox: ctx.deps.config.mail.transport === "dev" });
}

interface Form {
  readonly values: Values;
  /** What is wrong, by field; `form` is above all fields. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly status: number;
}

const formPage = ({ values, wrong, status }: Form): Reply<never> =>
  page({
    title: "Sign up",
    status,
    body: html`<h1>Get an API key</h1>
      <p class="lead">
        The key is shown after you confirm your address. No payment details required for the Free plan.
      </p>
      ${wrong["form"] !== undefined && html`<p class="note bad" role="alert">${wrong["form"]}</p>`}
      <form method="post" action="/signup">
        <label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          required
          maxlength="254"
          value="${values.email}"
          ${state("email", wrong)}
        />
        ${complaint("email", wrong)}
        <label for="storeIdentifier">Store identifier</label>
        <input
          id="storeIdentifier"
          name="storeIdentifier"
          autocomplete="organization"
          autocapitalize="off"
          spellcheck="false"
          required
          maxlength="255"
          value="${values.storeIdentifier}"
          ${state("storeIdentifier", wrong)}
        />
        ${complaint("storeIdentifier", wrong)}
        <p class="hint">A unique name for your store, such as <code>demo-bakery</code>.</p>
        <button type="submit">Send me the link</button>
      </form>
      <p class="soft">
        API: <code>POST /api/platform/signup</code>, see the <a href="/docs/reference/signup">reference</a>.
        Lost your key? Sign up again with the same address and store.
      </p>`,
  });

const state = (name: string, wrong: Form["wrong"]): Html | null =>
  wrong[name] === undefined ? null : html`aria-invalid="true" aria-describedby="${name}-wrong"`;

const complaint = (name: string, wrong: Form["wrong"]): Html | null =>
  wrong[name] === undefined ? null : html`<p class="wrong" id="${name}-wrong">${wrong[name] ?? ""}</p>`;

interface Sent {
  readonly to: string;
  readonly emailSent: boolean;
  readonly hasInbox: boolean;
}

function sentPage({ to, emailSent, hasInbox }: Sent): Reply<never> {
  const inbox = html`<p class="note">
    This server stores mail instead of sending it: <a href="/_/inbox">open the inbox</a>.
  </p>`;
  if (!emailSent) {
    return page({
      title: "Signed up",
      body: html`<h1>The mail could not be sent yet</h1>
        <p>Your signup is saved, but the mail to <strong>${to}</strong> could not be sent.</p>
        <p>
          It may still arrive within a few minutes. If not, <a href="/signup">sign up again</a> with the same
          address and store. The number of mails per hour is limited.
        </p>
        ${hasInbox && inbox}`,
    });
  }
  return page({
    title: "Mail sent",
    body: html`<h1>Mail sent</h1>
      <p>
        We sent a mail to <strong>${to}</strong>. Open the link in the mail and press the button to see your
        key.
      </p>
      ${hasInbox && inbox}
      <p class="soft">No mail? Check your spam folder, or <a href="/signup">sign up again</a>.</p>`,
  });
}

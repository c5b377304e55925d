import type { Reply } from "../../core/reply.ts";
import type { Words } from "../../core/words.ts";
import { html } from "../../lib/html.ts";
import { assetUrl } from "./assets.ts";
import { page } from "./layout.ts";

export interface ConfirmPage {
  /** Where the button posts to; holds the token. */
  readonly actionUrl: string;
  readonly storeIdentifier: string;
}

/** Asks for a press of a button: looking at a link must not use it up, because mail scanners look at every link. */
export const verifyConfirmPage = (words: Words, { actionUrl, storeIdentifier }: ConfirmPage): Reply<never> =>
  page(
    {
      title: words.say("verify.title"),
      body: html`<h1>${words.say("verify.title")}</h1>
        <p>${words.say("verify.store", { store: storeIdentifier })}</p>
        <p>${words.say("verify.press")}</p>
        <form method="post" action="${actionUrl}">
          <button type="submit">${words.say("verify.show")}</button>
        </form>`,
    },
    words,
  );

export interface DonePage {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly storeIdentifier: string;
  readonly requestsPerMinute: number;
}

/** Shows the key, this one time, and a call to paste. */
export async function verifyDonePage(words: Words, done: DonePage): Promise<Reply<never>> {
  const { apiKey, baseUrl, storeIdentifier: store, requestsPerMinute: count } = done;
  const { say } = words;
  return page(
    {
      title: say("verify.done_title"),
      scripts: [await assetUrl("copy.js")],
      body: html`<h1>${say("verify.done_title")}</h1>
        <p>${say("verify.limit", { store, count })}</p>
        <code class="key" id="key">${apiKey}</code>
        <p><button type="button" data-copy="key" hidden>${say("verify.copy_key")}</button></p>
        <p>${say("verify.copy_now")}</p>
        <h2>${say("verify.first")}</h2>
        <pre><code id="call">curl ${baseUrl}/v1/account \\
  -H "Authorization: Bearer ${apiKey}"</code></pre>
        <p><button type="button" data-copy="call" hidden>${say("verify.copy_request")}</button></p>
        <p><a href="/docs">${say("verify.docs")}</a></p>`,
    },
    words,
  );
}

export interface FailedPage {
  readonly status: number;
  /** One sentence with the remedy, in English. */
  readonly reason: string;
}

/** Says why a link does not lead to a key. */
export const verifyFailedPage = (words: Words, { status, reason }: FailedPage): Reply<never> =>
  page(
    {
      title: words.say("verify.failed_title"),
      status,
      body: html`<h1>${words.say("verify.failed_title")}</h1>
        <p>${words.locale.startsWith("en") ? reason : words.say("verify.failed_text")}</p>
        <p><a href="/signup">${words.say("signup.short")}</a></p>`,
    },
    words,
  );

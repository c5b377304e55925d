import type { Reply } from "../../core/route.ts";
import { html } from "../../lib/html.ts";
import { assetUrl } from "./assets.ts";
import { page } from "./layout.ts";

export interface ConfirmPage {
  /** Where the button posts to; holds the token. */
  readonly actionUrl: string;
  readonly storeIdentifier: string;
}

/** Asks for a press of a button: looking at a link must not use it up, because mail scanners look at every link. */
export const verifyConfirmPage = ({ actionUrl, storeIdentifier }: ConfirmPage): Reply<never> =>
  page({
    title: "Get your API key",
    body: html`<h1>Get your API key</h1>
      <p>Store: <strong>${storeIdentifier}</strong></p>
      <p>
        Press the button to confirm your address. The key is shown once, on the next page. Store it in a safe
        place.
      </p>
      <form method="post" action="${actionUrl}"><button type="submit">Show my API key</button></form>`,
  });

export interface DonePage {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly storeIdentifier: string;
  readonly requestsPerMinute: number;
}

/** Shows the key, this one time, and a call to paste. */
export const verifyDonePage = async ({
  apiKey,
  baseUrl,
  storeIdentifier,
  requestsPerMinute,
}: DonePage): Promise<Reply<never>> =>
  page({
    title: "Your API key",
    scripts: [await assetUrl("copy.js")],
    body: html`<h1>Your API key</h1>
      <p>Store: <strong>${storeIdentifier}</strong>. ${requestsPerMinute} requests per minute.</p>
      <code class="key" id="key">${apiKey}</code>
      <p><button type="button" data-copy="key" hidden>Copy the key</button></p>
      <p>
        Copy the key now: it is not stored and cannot be shown again. If you lose it, sign up again with the
        same address and store to receive a new link.
      </p>
      <h2>First request</h2>
      <pre><code id="call">curl ${baseUrl}/v1/account \\
  -H "Authorization: Bearer ${apiKey}"</code></pre>
      <p><button type="button" data-copy="call" hidden>Copy the request</button></p>
      <p>Continue with the <a href="/docs">documentation</a>.</p>`,
  });

export interface FailedPage {
  readonly status: number;
  /** One sentence with the remedy. */
  readonly reason: string;
}

/** Says why a link does not lead to a key. */
export const verifyFailedPage = ({ status, reason }: FailedPage): Reply<never> =>
  page({
    title: "This link cannot be used",
    status,
    body: html`<h1>This link cannot be used</h1>
      <p>${reason}</p>
      <p><a href="/signup">Sign up</a></p>`,
  });

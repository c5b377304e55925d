import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Problem } from "../../lib/errors.ts";
import { text } from "./view.ts";
import type { Action, Row } from "./view.ts";

/** What came of an action, above its page; with the secret that it shows once. */
export const doneNotice = ({ label, done }: Action, row: Row): Html =>
  html`<div class="note good" role="status"><p>${done?.(row) ?? `${label}: done.`}</p></div>
    ${secretOf(row)}`;

/** A notice that an earlier request left for this page. */
export const storedNotice = (stored: string | null): Html | null =>
  stored === null ? null : { html: stored };

/** Why an action was refused: in one sentence, then field by field where no field of the form shows it. */
export function refusedNotice({ label, fields = [] }: Action, { detail, options }: Problem): Html {
  const own = new Set(fields.map(({ name }) => `#/${name}`));
  const others = (options.errors ?? []).filter(({ pointer = "" }) => !own.has(pointer));
  return html`<div class="note bad" role="alert">
    <p><strong>${label}: not done.</strong> ${detail}</p>
    ${
      others.length > 0 &&
      html`<ul>
        ${others.map(
          ({ pointer = "", parameter = "", detail: why }) =>
            html`<li><code>${pointer}${parameter}</code> ${why}</li>`,
        )}
      </ul>`
    }
  </div>`;
}

const SECRETS = ["api_key", "secret", "verification_url", "token"];

/** What is shown this once. */
function secretOf(row: Row): Html | null {
  const secret = SECRETS.map((name) => text(row, name)).find((value) => value !== "");
  if (secret === undefined) return null;
  return html`<p>Copy it now: it is not stored and cannot be shown again.</p>
    <code class="key" id="key">${secret}</code>
    <p><button type="button" data-copy="key" hidden>Copy</button></p>`;
}

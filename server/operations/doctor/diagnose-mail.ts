import type { Deps } from "../deps.ts";
import { fromInstant } from "../../lib/instant.ts";
import { openTransport } from "../../mail/transports/open.ts";
import { reachOf } from "./diagnose-address.ts";
import { failed, fine, messageOf, TIMEOUT_MS, warn, within } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Whether mail leaves this machine: a login at the mail server, without a mail. */
export async function checkTransport({ config, lifecycle, loaded }: Deps): Promise<Finding> {
  const { transport } = config.mail;
  if (transport === "dev" || transport === "console") {
    const detail = `${transport}: no mail leaves this machine`;
    const fix = "Set mail.transport to smtp and set mail.smtp.url.";
    if (transport === "dev" && reachOf(new URL(config.baseUrl).hostname) === "public") {
      return failed(`${detail}, and the inbox page shows them to anyone who opens it`, fix);
    }
    return lifecycle.dev ? fine(detail) : warn(detail, fix);
  }
  const probe = await openTransport(config.mail, () => undefined, loaded?.extensions.mailTransport);
  try {
    if (probe.verify === undefined)
      return fine(`${transport}: this transport cannot be checked without sending a mail`);
    await within(TIMEOUT_MS, probe.verify());
    return fine(`${transport}: the mail server accepts the credentials`);
  } catch (error) {
    return failed(`${transport}: ${messageOf(error)}`, fixOf(error));
  }
}

function fixOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && "code" in cause && cause.code === "EAUTH")
    return "Check the user name and password in mail.smtp. Some providers require an app password.";
  if (/CERT|SELF_SIGNED|ALTNAME|VERIFY/.test(messageOf(error)))
    return "Use the host name of the certificate. For a self-signed certificate set mail.smtp.allowSelfSigned.";
  return "Check the host and port in mail.smtp. Many hosting providers block ports 25 and 465: try 587.";
}

const PATIENCE_MS = 600_000;

/** Mail that waits for longer than a passing trouble of the mail server lasts. */
export async function checkBacklog({ mail, clock }: Deps): Promise<Finding> {
  const { waiting, oldest_created_at, last_error } = await mail.backlog();
  const isOld = oldest_created_at !== null && clock.now() - fromInstant(oldest_created_at) > PATIENCE_MS;
  const detail = `${waiting} pending${last_error === null ? "" : `; last error: ${last_error}`}`;
  return isOld ? warn(detail, "platform mail list; platform mail send-test") : fine(detail);
}

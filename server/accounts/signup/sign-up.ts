import { conflict } from "../../lib/errors.ts";
import { DAY_MS } from "../../lib/instant.ts";
import type { Stored } from "../../core/tx.ts";
import { choicesUrl, readChoices } from "../../mail/choices.ts";
import { mailOps } from "../../mail/record.ts";
import { runChange } from "../change.ts";
import type { Actor, Change } from "../change.ts";
import type { AccountsDeps } from "../deps.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { customers } from "../collections.ts";
import type { Customer } from "../collections.ts";
import { customerIdOf, findOrCreateCustomer } from "../customers/customers.ts";
import type { Signup } from "../customers/customers.ts";
import { isSuspendedAddress } from "../customers/suspended-address.ts";
import { mailboxHash, parseEmail } from "../customers/email.ts";
import { issueLink } from "../verification-links.ts";

/** How long a signup waits for the mail server before it answers `email_sent: false`; the outbox goes on trying. */
const MAIL_PATIENCE_MS = 5_000;

export interface SignupResult {
  readonly customer: Stored<Customer>;
  /** True only if the mail server took the mail. */
  readonly emailSent: boolean;
}

/**
 * Signs up: makes the customer where there is none, and mails a link; a verified customer's link issues a new key.
 * The answer is the same for every address, known or not. Past the daily number of mails to one mailbox nothing is made or
 * mailed, nor for the address of a suspended customer: nobody could verify it. A failing mail never fails the signup.
 */
export async function signUp(
  deps: AccountsDeps,
  by: Actor,
  input: Signup,
): Promise<{ readonly customerId: string; readonly emailSent: boolean }> {
  const mayMail = await takeMail(deps, input.email);
  const customerId = customerIdOf(deps.secret, input);
  const { emailSent } = await mailAfter(deps, by, async (change) => {
    const known = await change.tx.get(customers, customerId);
    const isSuspended =
      known?.value.status !== "active" && (await isSuspendedAddress(change.tx, input.email));
    if (!mayMail || isSuspended) return { customer: known, mailId: null };
    const customer = await findOrCreateCustomer(change, input);
    return { customer, mailId: await stageLinkMail(change, customer) };
  });
  return { customerId, emailSent };
}

/** As `signUp`, by the operator's hand: no limit of mails, and instead of a mail the link itself where that is asked for. */
export async function signUpByHand(
  deps: AccountsDeps,
  by: Actor,
  { mail, ...input }: Signup & { readonly mail: boolean },
): Promise<SignupResult & { readonly link: string | null }> {
  if (!mail) {
    return runChange(deps, by, async (change) => {
      const customer = touch(change, await findOrCreateCustomer(change, input));
      const canVerify = customer.value.status === "pending" || customer.value.status === "active";
      const link = canVerify ? (await issueLink(change, customer.id)).url : null;
      return { customer, emailSent: false, link };
    });
  }
  const result = await mailAfter(deps, by, async (change) => {
    const customer = await findOrCreateCustomer(change, input);
    return { customer, mailId: await stageLinkMail(change, customer) };
  });
  return { ...result, link: null };
}

/** Mails a customer another link. Throws 404, and 409 for a suspended or closed one. */
export const resendLink = (deps: AccountsDeps, by: Actor, customerId: string): Promise<SignupResult> =>
  mailAfter(deps, by, async (change) => {
    const customer = await change.tx.require(customers, customerId);
    const { status } = customer.value;
    if (status !== "pending" && status !== "active") {
      throw conflict("customer_not_active", `The customer is ${status}.`);
    }
    return { customer, mailId: await stageLinkMail(change, customer) };
  });

async function mailAfter<C>(
  deps: AccountsDeps,
  by: Actor,
  work: (change: Change) => Promise<{ customer: C; mailId: string | null }>,
): Promise<{ readonly customer: C; readonly emailSent: boolean }> {
  const { customer, mailId } = await runChange(deps, by, work);
  const emailSent = mailId !== null && (await deps.mail.deliverNow(mailId, { timeoutMs: MAIL_PATIENCE_MS }));
  return { customer, emailSent };
}

/** Stages a link and its mail; null when the customer gets none, or the mail cannot be written. */
async function stageLinkMail(change: Change, customer: Stored<Customer>): Promise<string | null> {
  const { status, email } = customer.value;
  if (status !== "pending" && status !== "active") return null;
  const { deps, tx } = change;
  // To the address on record, never to what was typed this time: two spellings of one identity must not differ in reader.
  const to = parseEmail(email)?.deliverable ?? email;
  if ((await readChoices(deps.store, PLATFORM_PART, to)).isStopped) return null;
  const link = await issueLink(change, customer.id);
  try {
    const mail = await deps.mail.compose({
      to,
      template: status === "pending" ? "verify" : "key-reissue",
      // Nothing that was typed into the form: anybody may type anybody's address there.
      data: { link: link.url, expires_at: link.expiresAt },
      choicesUrl: choicesUrl(deps.ports, PLATFORM_PART, to),
    });
    tx.stage(mailOps(mail));
    touch(change, customer);
    return mail.id;
  } catch (err) {
    deps.log.error({ err, customer: customer.id }, "failed to create a mail");
    return null;
  }
}

/** A pending customer lives on while links go out to it. */
function touch(change: Change, customer: Stored<Customer>): Stored<Customer> {
  if (customer.value.status !== "pending" || customer.value.updated_at === change.nowAt) return customer;
  return change.tx.put(customers, customer, { ...customer.value, updated_at: change.nowAt });
}

async function takeMail(deps: AccountsDeps, email: string): Promise<boolean> {
  const counter = `signup-mail.${mailboxHash(email)}`;
  const { allowed } = await deps.store.take(counter, deps.config.signup.perAddressPerDay, DAY_MS);
  return allowed;
}

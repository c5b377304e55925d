import { retainInvoice } from "../../../core/retention.ts";
import type { Personal } from "../../../core/collection.ts";
import {
  ERASED,
  ERASED_EMAIL,
  mailsIn,
  mailsInJson,
  mailSubject,
  refSubject,
  withoutMail,
  withoutOtherMails,
} from "../../../core/personal.ts";
import type { Account } from "./account.ts";
import type { CateringEvent } from "./event.ts";
import type { Feed, Rsvp } from "./headcount.ts";
import type { Invoice } from "./invoice.ts";
import type { Order } from "./order.ts";
import type { Party } from "./parts.ts";
import type { Quote, QuoteVersion } from "../schema.ts";

// What was agreed, delivered and paid stays, for the books; the people in it go one by one.

const NOBODY: Party = { name: ERASED, email: ERASED_EMAIL, company: "" };
const isOf = (email: string | null | undefined, subject: string): boolean =>
  typeof email === "string" && mailSubject(email) === subject;
const known = (emails: readonly (string | null | undefined)[]): string[] => [
  ...new Set(
    emails.flatMap((email) =>
      typeof email === "string" && email !== ERASED_EMAIL ? [mailSubject(email)] : [],
    ),
  ),
];
const withoutReference = <P extends { readonly reference: string }>(payments: readonly P[]): P[] =>
  payments.map((payment) => ({ ...payment, reference: payment.reference === "" ? "" : ERASED }));

export const personalQuote: Personal<Quote> = {
  subjects: ({ id, prospect, sent_to, acceptance, approval }) => [
    ...known([prospect?.email, sent_to, acceptance?.email, approval?.approver_email]),
    refSubject(id),
  ],
  erased(quote, subject) {
    const { prospect, sent_to: sentTo, acceptance } = quote;
    const isTheirs = isOf(prospect?.email, subject) || isOf(sentTo, subject);
    const kept = isTheirs
      ? { ...quote, event: { ...quote.event, site: "" }, closed_reason: "", metadata: {} }
      : quote;
    return {
      ...withoutMail(kept, subject),
      prospect: isOf(prospect?.email, subject) ? NOBODY : prospect,
      acceptance:
        isOf(acceptance?.email, subject) && acceptance !== null ? { ...acceptance, ...named } : acceptance,
    };
  },
};
const named = { name: ERASED, email: ERASED_EMAIL };

export const personalVersion: Personal<QuoteVersion> = {
  subjects: ({ quote_id: id, sent_to }) => [...known([sent_to]), refSubject(id)],
  erased: (version, subject) => {
    const { content } = version;
    const plain = { ...version, content: { ...content, event: { ...content.event, site: "" } } };
    return isOf(version.sent_to, subject) || subject === refSubject(version.quote_id)
      ? { ...withoutMail(plain, subject), sent_to: ERASED_EMAIL }
      : version;
  },
};

export const personalOrder: Personal<Order> = {
  subjects: ({ id, contact }) =>
    contact.email === ERASED_EMAIL ? [] : [mailSubject(contact.email), refSubject(id)],
  erased: (order) => ({
    ...order,
    contact: NOBODY,
    event: { ...order.event, site: "" },
    payments: withoutReference(order.payments),
    cancellation: order.cancellation === null ? null : { ...order.cancellation, reason: "" },
    notes: "",
    metadata: {},
  }),
};

export const personalInvoice: Personal<Invoice> = {
  subjects: ({ bill_to: { email } }) => known([email]),
  erased: (invoice) => ({
    ...invoice,
    bill_to: { ...NOBODY, address: "" },
    payments: withoutReference(invoice.payments),
    closed_reason: "",
    erasure_due: false,
    metadata: {},
  }),
  retained: (invoice, _, today) => retainInvoice({ ...invoice, closed_reason: "", metadata: {} }, today),
};

export const personalAccount: Personal<Account> = {
  subjects: ({ billing_contacts: contacts, cost_centres: centres, approval }) =>
    known([
      ...contacts.map(({ email }) => email),
      ...centres.map(({ approver_email: email }) => email),
      approval.approver_email,
    ]),
  erased(account, subject) {
    const own = account.billing_contacts.find(({ email }) => isOf(email, subject));
    const left = account.billing_contacts.filter((contact) => contact !== own);
    const { approval, cost_centres: centres, legal_name: name } = account;
    return {
      ...withoutMail(account, subject),
      // A company of one bears the name of its person.
      legal_name: own !== undefined && own.name === name ? ERASED : name,
      billing_contacts: left.length === 0 ? [named] : left,
      cost_centres: centres.map((centre) =>
        isOf(centre.approver_email, subject) ? { ...centre, approver_email: null } : centre,
      ),
      approval: isOf(approval.approver_email, subject) ? { ...approval, approver_email: null } : approval,
    };
  },
};

export const personalRsvp: Personal<Rsvp> = {
  subjects: ({ email }) => known([email]),
  erased: () => null,
};

/** The calendar of a person often has their address in its own, as in `/ical/ada%40office.example/private/basic.ics`. */
export const personalFeed: Personal<Feed> = {
  subjects: ({ url }) => mailsIn(url.replaceAll(/%40/gi, "@")),
  erased: () => null,
};

/** Documents that may contain a person's name in what a calendar or a person wrote. */
export const personalText = <T>(): Personal<T> => ({
  subjects: (document) => mailsInJson(JSON.stringify(document)),
  erased: (document, subject) => withoutMail(document, subject),
  shown: withoutOtherMails,
});

const REASONED: ReadonlySet<CateringEvent["type"]> = new Set(["order.cancelled", "quote.declined"]);

/** Why a guest declined or cancelled is the one text of a person that an event repeats. */
export const personalEvent: Personal<CateringEvent> = {
  subjects: ({ subject_id: id }) => [refSubject(id)],
  erased: (event) =>
    REASONED.has(event.type) ? { ...event, data: { ...event.data, reason: ERASED } } : event,
};

import type { Personal } from "../../../core/collection.ts";
import {
  customerSubject,
  ERASED,
  ERASED_EMAIL,
  mailSubject,
  refSubject,
  withoutMail,
} from "../../../core/personal.ts";
import type { Charge } from "./charge.ts";
import type { Contract } from "../schema.ts";
import type { EngineEvent } from "./event.ts";
import type { PaymentMethod } from "./payment.ts";

// What was billed stays, for the books; who it was billed to goes, and nothing more is billed.

export const personalContract: Personal<Contract> = {
  subjects: ({ id, customer }) =>
    customer.email === ERASED_EMAIL
      ? []
      : [mailSubject(customer.email), customerSubject(customer.id), refSubject(id)],
  erased: (contract) => ({
    ...withoutMail(contract, contract.customer.email),
    customer: { id: ERASED, email: ERASED_EMAIL, name: "" },
    status: contract.status === "expired" ? "expired" : "cancelled",
    delivery: contract.delivery === null ? null : { ...contract.delivery, address: "", slot_ref: null },
    pause: null,
    overdue: null,
    next_billing_date: null,
    cancellation: contract.cancellation === null ? null : { ...contract.cancellation, comment: "" },
    ended_at: contract.ended_at ?? contract.updated_at,
    metadata: {},
  }),
};

export const personalCharge: Personal<Charge> = {
  subjects: ({ contract_id: id }) => [refSubject(id)],
  erased: (charge) => ({
    ...charge,
    payment_reference: charge.payment_reference === null ? null : ERASED,
    voided_reason: charge.voided_reason === null ? null : ERASED,
    refunds: charge.refunds.map((refund) => ({ ...refund, reason: ERASED, failure: null })),
    decisions: charge.decisions.map(({ at, why }) => ({
      at,
      why: why.replace(/^(Marked as paid: ).*/, `$1${ERASED}.`),
    })),
    attempts: charge.attempts.map((attempt) => ({
      ...attempt,
      action_url: null,
      failure: attempt.failure === null ? null : { ...attempt.failure, message: "" },
    })),
  }),
};

/** What was written with a refund is the one text of a person that an event repeats. */
export const personalEvent: Personal<EngineEvent> = {
  subjects: ({ contract_id: id }) => [refSubject(id)],
  erased: (event) =>
    event.type === "charge.refunded" ? { ...event, data: { ...event.data, reason: ERASED } } : event,
};

/** The method itself stays: an attempt that is under way must find its gateway. */
export const personalMethod: Personal<PaymentMethod> = {
  subjects: ({ customer_id: id }) => (id === ERASED ? [] : [customerSubject(id)]),
  erased: (method) => ({
    ...method,
    customer_id: ERASED,
    token_ref: ERASED,
    brand: null,
    last4: null,
    expires: null,
    status: "revoked",
    metadata: {},
  }),
};

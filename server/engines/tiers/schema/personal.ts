import type { Personal } from "../../../core/collection.ts";
import { customerSubject, mailSubject, refSubject } from "../../../core/personal.ts";
import type { CustomerAggregate, Member } from "../schema.ts";
import type { Recalculation } from "./recalculation.ts";

// All data of a member is deleted: nothing of it is needed for accounting.

export const personalMember: Personal<Member> = {
  subjects: ({ id, customer_id: customer, email, merged_from: merged }) => [
    ...(email === null ? [] : [mailSubject(email)]),
    customerSubject(customer),
    refSubject(id),
    ...merged.map(refSubject),
  ],
  erased: () => null,
};

export const personalAggregate: Personal<CustomerAggregate> = {
  subjects: ({ id, customer_id: customer }) => [customerSubject(customer), refSubject(id)],
  erased: () => null,
};

/** Events and moves of a member. */
export const personalRecord = <T extends { readonly customer_id: string }>(): Personal<T> => ({
  subjects: ({ customer_id: id }) => [refSubject(id)],
  erased: () => null,
});

export const personalRecalculation: Personal<Recalculation> = {
  subjects: ({ moves_sample: sample }) => [...new Set(sample.map(({ customer_id: id }) => refSubject(id)))],
  erased: (job, subject) => ({
    ...job,
    moves_sample: job.moves_sample.filter(({ customer_id: id }) => refSubject(id) !== subject),
  }),
};

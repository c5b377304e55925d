import { z } from "zod";

import { HOUR_MS, fromInstant } from "../../../lib/instant.ts";
import { Problem } from "../../../lib/errors.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import { showDate, showMoney } from "../../../lib/show.ts";
import { retryNow, payWith, usableMethods } from "../services/attempts.ts";
import type { Book, OpenedBook } from "../services/book.ts";
import { resume } from "../services/lifecycle.ts";
import { isCoolingOff } from "../rules/compliance.ts";
import { showMethod } from "../rules/show.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";
import { cancelBook, pauseBook } from "./contract-actions.ts";
import { overrideNext } from "./cycles.ts";
import { LIVE, requireStatus } from "./env.ts";

/** What a form of the customer's page sends. `add_card` and `confirm` lead to pages of the gateway and the bank. */
export const CustomerForm = z.strictObject({
  action: z.enum([
    "skip",
    "pause",
    "resume",
    "cancel",
    "keep",
    "pay_with",
    "pay_now",
    "change_address",
    "add_card",
    "confirm",
  ]),
  payment_method_id: Id.optional(),
  resume_on: z.union([LocalDate, z.literal("")]).default(""),
  // A browser sends the lines of a form with CRLF.
  address: z
    .string()
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(z.string().max(500))
    .optional(),
});
export type CustomerForm = z.output<typeof CustomerForm>;

/** Does what a form asks for. What the state does not allow is said on the page, not by an error. */
export async function carryOut(book: OpenedBook, form: CustomerForm): Promise<string> {
  try {
    return await perform(book, form);
  } catch (error) {
    if (error instanceof Problem && error.type === "conflict") return error.detail;
    if (error instanceof Problem && error.type === "unprocessable_content")
      return error.options.errors?.[0]?.detail ?? error.detail;
    throw error;
  }
}

async function perform(book: OpenedBook, form: CustomerForm): Promise<string> {
  switch (form.action) {
    case "skip":
      return `The delivery of ${showDate(overrideNext(book))} is skipped.`;
    case "pause": {
      const until = form.resume_on === "" ? null : form.resume_on;
      pauseBook(book, { resume_on: until, mode: "keep_calendar" });
      const when = until === null ? "you resume it" : showDate(until);
      return `Your subscription is paused. Nothing is charged until ${when}.`;
    }
    case "resume":
      requireStatus(book.contract, ["paused"], "resumed");
      resume(book);
      return "Your subscription is active again.";
    case "cancel":
      return cancel(book);
    case "keep":
      return keep(book);
    case "pay_with":
      return choose(book, form.payment_method_id ?? "");
    case "pay_now":
      if (!mayPayNow(book))
        return "The payment was tried a short time ago. Try again in an hour, or use another card.";
      retryNow(book);
      return "The payment is being tried again. This page shows the result in a minute.";
    case "change_address":
      return changeAddress(book, form.address ?? "");
    case "add_card":
    case "confirm":
      return "";
  }
}

async function cancel(book: OpenedBook): Promise<string> {
  const isFree = isCoolingOff(book.contract, book.today);
  const refund = await cancelBook(
    book,
    {
      at: isFree ? "now" : "cycle_end",
      reason_code: isFree ? "cooling_off" : "other",
      comment: "",
      refund: isFree ? "full" : "none",
    },
    { by: "customer", mayForce: false },
  );
  return refund > 0
    ? `Cancelled. ${showMoney(refund, book.contract.currency)} is on its way back to you.`
    : "Cancelled. A mail confirms it.";
}

function keep(book: Book): string {
  if (book.contract.cancellation === null || !isLive(book.contract)) return "This subscription has ended.";
  book.contract = { ...book.contract, cancellation: null };
  book.emit("contract.updated", null, { change: "uncancelled" });
  return "Your subscription goes on.";
}

async function choose(book: OpenedBook, methodId: string): Promise<string> {
  requireStatus(book.contract, LIVE, "changed");
  const method = (await usableMethods(book)).find(({ id }) => id === methodId);
  if (method === undefined) return "This payment method can no longer be used.";
  payWith(book, method.id);
  book.emit("contract.updated", null, { change: "payment_method_id" });
  return `From now on ${showMethod(method)} is charged.`;
}

function changeAddress(book: Book, address: string): string {
  const { contract } = book;
  requireStatus(contract, LIVE, "changed");
  if (contract.delivery === null || address === "") return "Enter the address for your deliveries.";
  book.contract = { ...contract, delivery: { ...contract.delivery, address } };
  book.emit("contract.updated", null, { change: "delivery" });
  return "Your address is saved. The next delivery goes there.";
}

export const isLive = ({ status }: Pick<Contract, "status">): boolean => LIVE.some((one) => one === status);

/** The charge that failed and can be tried again with the same card: not one that its bank has declined for good. */
export const failedCharge = ({ charges }: Pick<Book, "charges">): Charge | null =>
  [...charges.values()].find(({ status }) => status === "retrying") ?? null;

/** A customer may have it tried again, once an hour. */
export function mayPayNow(book: Pick<Book, "charges" | "env">): boolean {
  const charge = failedCharge(book);
  if (charge === null || charge.dunning.category === "hard" || charge.dunning.category === "method")
    return false;
  const last = charge.attempts.at(-1);
  return last !== undefined && fromInstant(last.claimed_at) + HOUR_MS <= book.env.now;
}

import { contractStates } from "../rules/contract-state.ts";
import { z } from "zod";

import { HOUR_MS, fromInstant } from "../../../lib/instant.ts";
import { Problem } from "../../../lib/errors.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import type { Face } from "../../../core/face.ts";
import { retryNow, payWith, usableMethods } from "../services/attempts.ts";
import type { Book, OpenedBook } from "../services/book.ts";
import { resume } from "../services/lifecycle.ts";
import { isCoolingOff } from "../rules/compliance.ts";
import { showMethod } from "../rules/show.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";
import { cancelBook, pauseBook } from "./contract-actions.ts";
import { overrideNext } from "./cycles.ts";
import { requireStatus } from "./env.ts";

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
export async function carryOut(face: Face, book: OpenedBook, form: CustomerForm): Promise<string> {
  try {
    return await perform(face, book, form);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.type !== "conflict" && error.type !== "unprocessable_content") throw error;
    // Problems are described in English.
    if (!face.locale.startsWith("en")) return face.say(`refusal.${error.type}.text`);
    return error.options.errors?.[0]?.detail ?? error.detail;
  }
}

async function perform(face: Face, book: OpenedBook, form: CustomerForm): Promise<string> {
  const { date, say } = face;
  switch (form.action) {
    case "skip":
      return say("subscription.done_skip", { date: date(overrideNext(book)) });
    case "pause": {
      const until = form.resume_on === "" ? null : form.resume_on;
      pauseBook(book, { resume_on: until, mode: "keep_calendar" });
      return until === null
        ? say("subscription.done_pause")
        : say("subscription.done_pause_until", { date: date(until) });
    }
    case "resume":
      requireStatus(book.contract, "resume", "resumed");
      resume(book);
      return say("subscription.done_resume");
    case "cancel":
      return cancel(face, book);
    case "keep":
      return say(keep(book));
    case "pay_with":
      return choose(face, book, form.payment_method_id ?? "");
    case "pay_now":
      if (!mayPayNow(book)) return say("subscription.too_early");
      retryNow(book);
      return say("subscription.done_pay");
    case "change_address":
      return say(changeAddress(book, form.address ?? ""));
    case "add_card":
    case "confirm":
      return "";
  }
}

async function cancel({ money, say }: Face, book: OpenedBook): Promise<string> {
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
    ? say("subscription.done_cancel_refund", { amount: money(refund, book.contract.currency) })
    : say("subscription.done_cancel");
}

function keep(book: Book): "subscription.has_ended" | "subscription.done_keep" {
  if (book.contract.cancellation === null || !isLive(book.contract)) return "subscription.has_ended";
  book.contract = { ...book.contract, cancellation: null };
  book.emit("contract.updated", null, { change: "uncancelled" });
  return "subscription.done_keep";
}

async function choose(face: Face, book: OpenedBook, methodId: string): Promise<string> {
  requireStatus(book.contract, "change", "changed");
  const method = (await usableMethods(book)).find(({ id }) => id === methodId);
  if (method === undefined) return face.say("subscription.method_gone");
  payWith(book, method.id);
  book.emit("contract.updated", null, { change: "payment_method_id" });
  return face.say("subscription.done_method", { method: showMethod(face, method) });
}

function changeAddress(
  book: Book,
  address: string,
): "subscription.type_address" | "subscription.done_address" {
  const { contract } = book;
  requireStatus(contract, "change", "changed");
  if (contract.delivery === null || address === "") return "subscription.type_address";
  book.contract = { ...contract, delivery: { ...contract.delivery, address } };
  book.emit("contract.updated", null, { change: "delivery" });
  return "subscription.done_address";
}

export const isLive = ({ status }: Pick<Contract, "status">): boolean =>
  contractStates.allows("change", status);

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

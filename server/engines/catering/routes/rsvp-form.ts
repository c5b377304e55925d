import { z } from "zod";

import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Face } from "../../../core/face.ts";
import { Rsvp } from "../schema/headcount.ts";

/** What every form sends in which a guest says whether they come. */
export const answerFields = {
  action: z.enum(["accept", "decline"]),
  guests: z.string().max(10).default("0"),
  dietary: z.string().max(300).default(""),
};
const Answer = z.strictObject(answerFields);

/** The answer of a form; a message for the person where it cannot be taken. */
export function readAnswer({
  action,
  dietary,
  guests,
}: z.output<typeof Answer>):
  | Pick<Rsvp, "answer" | "guests" | "dietary">
  | "rsvp.bring_range"
  | "rsvp.dietary_range" {
  const bring = Rsvp.shape.guests.safeParse(Number(guests === "" ? "0" : guests));
  if (!bring.success) return "rsvp.bring_range";
  const codes = Rsvp.shape.dietary.safeParse(codesOf(dietary));
  if (!codes.success) return "rsvp.dietary_range";
  return action === "accept"
    ? { answer: "accepted", guests: bring.data, dietary: codes.data }
    : { answer: "declined", guests: 0, dietary: [] };
}

const codesOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(",")
      .map((code) => code.trim())
      .filter((code) => code !== ""),
  ),
];

/** Guests, dietary needs and the two buttons. */
export const answerInputs = ({ say }: Face, { dietary, guests }: Pick<Rsvp, "guests" | "dietary">): Html =>
  html`<label for="guests">${say("rsvp.bring")}</label>
    <input id="guests" name="guests" type="number" min="0" max="20" value="${guests}" />
    <label for="dietary">${say("rsvp.dietary")}</label>
    <input id="dietary" name="dietary" type="text" maxlength="300" value="${dietary.join(", ")}" />
    <button name="action" value="accept">${say("rsvp.accept")}</button>
    <button class="quiet" name="action" value="decline">${say("rsvp.decline")}</button>`;

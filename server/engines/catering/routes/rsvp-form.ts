import { z } from "zod";

import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { Rsvp } from "../schema/headcount.ts";

/** What every form sends in which a guest says whether they come. */
export const answerFields = {
  action: z.enum(["accept", "decline"]),
  guests: z.string().max(10).default("0"),
  dietary: z.string().max(300).default(""),
};
const Answer = z.strictObject(answerFields);

/** The answer of a form; a sentence for the person where it cannot be taken. */
export function readAnswer({
  action,
  dietary,
  guests,
}: z.output<typeof Answer>): Pick<Rsvp, "answer" | "guests" | "dietary"> | string {
  const bring = Rsvp.shape.guests.safeParse(Number(guests === "" ? "0" : guests));
  if (!bring.success) return "Bring 0 to 20 guests.";
  const codes = Rsvp.shape.dietary.safeParse(codesOf(dietary));
  if (!codes.success) return "Name at most ten dietary needs, each in a word or two.";
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
export const answerInputs = ({ dietary, guests }: Pick<Rsvp, "guests" | "dietary">): Html =>
  html`<label for="guests">Guests that you bring</label>
    <input id="guests" name="guests" type="number" min="0" max="20" value="${guests}" />
    <label for="dietary">Dietary needs, with commas between</label>
    <input id="dietary" name="dietary" type="text" maxlength="300" value="${dietary.join(", ")}" />
    <button name="action" value="accept">I am coming</button>
    <button class="quiet" name="action" value="decline">I am not coming</button>`;

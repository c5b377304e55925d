import type { AiInput } from "../../core/ai.ts";
import type { TextModel } from "../../lib/text/model.ts";
import type { Made } from "./made.ts";

/** What to say to a review of many, some or few stars; `{name}` is left out with the comma before it. */
type Replies = Readonly<Record<"glad" | "mixed" | "sorry", string>>;

/** A polite answer to a review by its stars. It offers nothing and admits nothing: that is for the shop to add. */
export function reply({ rating = 5, author_name: name, brand }: AiInput, { language }: TextModel): Made {
  const replies = REPLIES[language.code] ?? ENGLISH;
  const kind = rating >= 4 ? "glad" : rating === 3 ? "mixed" : "sorry";
  const plain = name?.trim() ?? "";
  const text = replies[kind].replace(", {name}", plain === "" ? "" : `, ${plain}`);
  return { text: brand === undefined ? text : `${text}\n\n${brand}` };
}

const ENGLISH: Replies = {
  glad: "Thank you for your review, {name}. We are glad that you were happy and hope to see you again.",
  mixed:
    "Thank you for your review, {name}. We are sorry that not everything was as you hoped. Your words help us to do better.",
  sorry:
    "Thank you for letting us know, {name}. We are sorry that we let you down. Please contact us so that we can look into it.",
};

const REPLIES: Readonly<Record<string, Replies>> = {
  en: ENGLISH,
  de: {
    glad: "Vielen Dank für Ihre Bewertung, {name}. Es freut uns, dass Sie zufrieden waren, und wir hoffen, Sie bald wiederzusehen.",
    mixed:
      "Vielen Dank für Ihre Bewertung, {name}. Es tut uns leid, dass nicht alles so war, wie Sie es sich gewünscht haben. Ihre Worte helfen uns, besser zu werden.",
    sorry:
      "Vielen Dank für Ihre Rückmeldung, {name}. Es tut uns leid, dass wir Sie enttäuscht haben. Bitte melden Sie sich bei uns, damit wir der Sache nachgehen können.",
  },
  fr: {
    glad: "Merci pour votre avis, {name}. Nous sommes heureux que vous ayez été satisfait et espérons vous revoir bientôt.",
    mixed:
      "Merci pour votre avis, {name}. Nous regrettons que tout n'ait pas été à la hauteur de vos attentes. Vos remarques nous aident à progresser.",
    sorry:
      "Merci pour votre message, {name}. Nous sommes désolés de vous avoir déçu. Contactez-nous afin que nous puissions examiner ce qui s'est passé.",
  },
  es: {
    glad: "Gracias por su reseña, {name}. Nos alegra que haya quedado satisfecho y esperamos volver a verle pronto.",
    mixed:
      "Gracias por su reseña, {name}. Lamentamos que su experiencia no fuera la que esperaba. Sus palabras nos ayudan a mejorar.",
    sorry:
      "Gracias por avisarnos, {name}. Lamentamos haberle decepcionado. Póngase en contacto con nosotros para que podamos revisar lo ocurrido.",
  },
};

import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import type { LabelParts, Statement } from "./write-label.ts";
import type { Segment } from "./write-ingredients.ts";
import type { Language, Mode } from "../data/modes.ts";

/** The ingredients list with its emphasis as `<strong>`, everything else escaped. */
export const ingredientsHtml = (segments: readonly Segment[]): string =>
  segments.map((segment) => piece(segment).html).join("");

/** A statement on one line. */
export const statementText = ({ title, names }: Statement): string => `${title} ${names.join(", ")}.`;

/** The whole label in plain text: what stands out is in capitals, which is a typeset that sets apart (Art. 21(1)(b)). */
export function labelText(label: LabelParts, locale: Language): string {
  const list = label.segments.map(({ text, emphasised }) =>
    emphasised ? text.toLocaleUpperCase(locale) : text,
  );
  const lines = [
    label.name,
    list.length === 0 ? null : `${INGREDIENTS[locale]} ${list.join("")}.`,
    label.own_statement ?? (label.contains === null ? null : statementText(label.contains)),
    label.may_contain === null ? null : statementText(label.may_contain),
  ];
  return `${lines.filter((line) => line !== null).join("\n")}\n`;
}

/** The whole label as a piece of HTML; statements bold as the mode wants them (au_nz whole, ca its title). */
export function labelHtml(label: LabelParts, mode: Mode, locale: Language): Html {
  return html`<section class="label" lang="${locale}">
    <h1>${label.name}</h1>
    ${label.segments.length > 0 && html`<p><b>${INGREDIENTS[locale]}</b> ${label.segments.map(piece)}.</p>`}
    ${containsHtml(label, mode)}
    ${label.may_contain !== null && html`<p>${statementText(label.may_contain)}</p>`}
  </section>`;
}

function containsHtml({ contains, own_statement: own }: LabelParts, mode: Mode): Html | null {
  if (own !== null)
    return mode.emphasis === "bold" ? html`<p><strong>${own}</strong></p>` : html`<p>${own}</p>`;
  if (contains === null) return null;
  if (mode.emphasis === "bold") return html`<p><strong>${statementText(contains)}</strong></p>`;
  return html`<p><strong>${contains.title}</strong> ${contains.names.join(", ")}.</p>`;
}

const INGREDIENTS: Readonly<Record<Language, string>> = { en: "Ingredients:", fr: "Ingrédients :" };

const piece = ({ text, emphasised }: Segment): Html =>
  emphasised ? html`<strong>${text}</strong>` : html`${text}`;

import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import type { LabelParts, Statement } from "./write-label.ts";
import type { Segment } from "./write-ingredients.ts";
import { labelWords } from "../data/label-words.ts";
import type { Language, Mode } from "../data/modes.ts";

/** The ingredients list with its emphasis as `<strong>`, everything else escaped. */
export const ingredientsHtml = (segments: readonly Segment[]): string =>
  segments.map((segment) => piece(segment).html).join("");

/** A statement on one line. */
export const statementText = ({ title, names }: Statement): string => `${title} ${names.join(", ")}.`;

/** A label in one of its languages. `unverified`: it is not verified, and the print has to show that. */
export interface PrintedLabel {
  readonly label: LabelParts;
  readonly locale: Language;
  readonly unverified: boolean;
  /** The language of the shop, for the notice. */
  readonly own: Language;
}

/** The notice of a label that is not verified, in the language of the shop and in that of the label. */
const noticeOf = ({ own, locale }: PrintedLabel): string[] => [
  ...new Set([labelWords(own).unverified, labelWords(locale).unverified]),
];

/** The whole label in plain text: emphasised words are in capitals, a typeset that sets them apart (Art. 21(1)(b)). */
export function labelText(print: PrintedLabel): string {
  const { label, locale, unverified } = print;
  const notice = unverified ? noticeOf(print).map((line) => `*** ${line.toLocaleUpperCase(locale)} ***`) : [];
  const list = label.segments.map(({ text, emphasised }) =>
    emphasised ? text.toLocaleUpperCase(locale) : text,
  );
  const lines = [
    ...notice,
    label.name,
    list.length === 0 ? null : `${labelWords(locale).ingredients} ${list.join("")}.`,
    label.own_statement ?? (label.contains === null ? null : statementText(label.contains)),
    label.may_contain === null ? null : statementText(label.may_contain),
    ...notice,
  ];
  return `${lines.filter((line) => line !== null).join("\n")}\n`;
}

/** The whole label as a piece of HTML; statements bold as the mode wants them (au_nz whole, ca its title). */
export function labelHtml(print: PrintedLabel, mode: Mode): Html {
  const { label, locale, unverified } = print;
  const notice = unverified && html`<p class="notice" role="alert">${noticeOf(print).join(" ")}</p>`;
  return html`<section class="${unverified ? "label unverified" : "label"}" lang="${locale}">
    ${notice}
    <h1>${label.name}</h1>
    ${label.segments.length > 0 && html`<p><b>${labelWords(locale).ingredients}</b> ${label.segments.map(piece)}.</p>`}
    ${containsHtml(label, mode)}
    ${label.may_contain !== null && html`<p>${statementText(label.may_contain)}</p>`} ${notice}
  </section>`;
}

function containsHtml({ contains, own_statement: own }: LabelParts, mode: Mode): Html | null {
  if (own !== null)
    return mode.emphasis === "bold" ? html`<p><strong>${own}</strong></p>` : html`<p>${own}</p>`;
  if (contains === null) return null;
  if (mode.emphasis === "bold") return html`<p><strong>${statementText(contains)}</strong></p>`;
  return html`<p><strong>${contains.title}</strong> ${contains.names.join(", ")}.</p>`;
}

const piece = ({ text, emphasised }: Segment): Html =>
  emphasised ? html`<strong>${text}</strong>` : html`${text}`;

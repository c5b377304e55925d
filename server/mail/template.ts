import { z } from "zod";

/** The plain strings that a mail shows. Its text part and its HTML part are both made from these, so they agree. */
export type MailValues = Readonly<Record<string, string>>;

/** What every mail may say about the service that sends it. */
export interface MailContext {
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/** What a mail template file holds; `defineMail` checks it. */
export interface MailDefinition<S extends z.ZodType, V extends MailValues> {
  /** Also the name of `templates/<name>.mjml`. */
  readonly name: string;
  /** One sentence for `platform mail preview`: when this mail is sent. */
  readonly summary: string;
  /** Why its reader gets it, after "You get this mail because": on every mail that stores send. */
  readonly reason: string;
  readonly schema: S;
  /** Shown by `platform mail preview`, and rendered by the tests. */
  readonly example: z.input<S>;
  /** A fixed line: nothing that a person typed goes into a header field. */
  readonly subject: string;
  values(data: z.output<S>, context: MailContext): V;
  /** Written by hand, not derived from the HTML. A link is alone on its line, so that scripts can pick it out. */
  text(values: V): string;
}

/** A mail whose data has not been parsed yet: what the renderer works with. */
export interface MailTemplate {
  readonly name: string;
  readonly summary: string;
  readonly reason: string;
  readonly subject: string;
  readonly example: unknown;
  /** Throws a ZodError when `data` is not what the template needs. */
  prepare(data: unknown, context: MailContext): { readonly values: MailValues; readonly text: string };
}

/** Declares a mail. The types of data and values stay inside; outside, data is parsed by the schema. */
export function defineMail<S extends z.ZodType, V extends MailValues>(
  definition: MailDefinition<S, V>,
): MailTemplate & Pick<MailDefinition<S, V>, "schema" | "example"> {
  const { name, summary, reason, subject, schema, example } = definition;
  return {
    name,
    summary,
    reason,
    subject,
    schema,
    example,
    prepare(data, context) {
      const values = definition.values(schema.parse(data), context);
      return { values, text: definition.text(values) };
    },
  };
}

const INLINE_CHARS_MAX = 120;
const NOT_INLINE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu;
/** What mail programs make a link of by themselves: a scheme, and a dot between a name and what may be a domain. */
const SCHEME_COLON = /:(?=\/\/)|(?<=\b(?:mailto|tel|sms|data|javascript)):(?=\S)/giu;
const DOMAIN_DOT = /(?<=[\p{L}\p{N}_-])[.\u3002\uff0e\uff61](?=\p{L}[\p{L}\p{N}-])/gu;
/** An e-mail address that ends its word; it leads to no page. */
const ADDRESS = /^[^@/:\\]+@[^@/:\\]+$/u;

/** Typed text in which nothing becomes a link: the mail programs of its readers must not offer what a stranger chose. */
const withoutLinks = (line: string): string =>
  line
    .split(" ")
    .map((word) =>
      ADDRESS.test(word) ? word : word.replaceAll(SCHEME_COLON, "[:]").replaceAll(DOMAIN_DOT, "[.]"),
    )
    .join(" ");

/**
 * Text that a person typed, as one line of bounded length without links. A line break could forge a paragraph or a link
 * line of the text part, and an invisible or bidirectional control could make one word look like another.
 */
export const typedText = (charsMax: number) =>
  z.string().transform((typed) => {
    const line = withoutLinks(typed.replaceAll(NOT_INLINE, " ").trim());
    return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`;
  });

export const InlineText = typedText(INLINE_CHARS_MAX);
export const asInlineText = (typed: string): string => InlineText.parse(typed);

/** An absolute link without a blank in it: nothing else may become an `href`. */
export const MailLink = z.url({ protocol: /^https?$/ }).regex(/^[\x21-\x7e]+$/, "Expected an ASCII URL.");

/** RFC 3339 instant → "22 November 2026, 14:05 UTC". */
export function toReadableInstant(instant: string): string {
  const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${date.format(new Date(instant)).replace(" at ", ", ")} UTC`;
}

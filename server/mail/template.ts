import { z } from "zod";

import type { MessageKey, Words } from "../core/words.ts";
import type { Block, MailContent } from "./blocks.ts";

type NameOf<K> = K extends `mail.${infer N}.subject` ? N : never;
type ReasonOf<K> = K extends `mail.reason.${infer R}` ? R : never;
/** Names of mails: those with a subject in the catalogue. A subject has no values, so nothing typed gets into a header. */
export type MailSubject = NameOf<MessageKey>;

/** What a mail may say about the service that sends it, and the words it says it in. */
export interface MailContext {
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly words: Words;
}

/** What a mail template file holds; `defineMail` checks it. */
export interface MailDefinition<S extends z.ZodType> {
  readonly name: MailSubject;
  /** One sentence for `platform mail preview`: when this mail is sent. */
  readonly summary: string;
  /** Why its reader gets it, a message after "You receive this email because": on every mail that stores send. */
  readonly reason: ReasonOf<MessageKey>;
  readonly schema: S;
  /** Shown by `platform mail preview`, and rendered by the tests. */
  readonly example: z.input<S>;
  /** Heading of the mail; default: its subject. */
  readonly title?: MessageKey;
  /** Instead of the subject of the catalogue: one line of `InlineText`. */
  readonly subject?: (data: z.output<S>) => string | undefined;
  readonly blocks: (data: z.output<S>, context: MailContext) => readonly Block[];
}

/** A mail whose data has not been parsed yet: what the renderer works with. */
export interface MailTemplate {
  readonly name: MailSubject;
  readonly summary: string;
  readonly reason: MessageKey;
  readonly example: unknown;
  /** Throws a ZodError when `data` is not what the template needs. */
  readonly write: (data: unknown, context: MailContext) => MailContent;
}

/** Declares a mail. The type of data stays inside; outside, data is parsed by the schema. */
export function defineMail<S extends z.ZodType>({
  name,
  summary,
  reason,
  schema,
  example,
  title,
  subject,
  blocks,
}: MailDefinition<S>): MailTemplate & Pick<MailDefinition<S>, "schema" | "example"> {
  return {
    name,
    summary,
    reason: `mail.reason.${reason}`,
    schema,
    example,
    write(given, context) {
      const data = schema.parse(given);
      return {
        subject: subject?.(data) ?? context.words.say(`mail.${name}.subject`),
        ...(title === undefined ? {} : { title: context.words.say(title) }),
        blocks: blocks(data, context),
      };
    },
  };
}

/** "Hello Ada," or "Hello," where no name is known. */
export const greet = ({ say }: Words, name: string): string =>
  name === "" ? say("mail.hello") : say("mail.hello_name", { name });

/** A shop in a sentence, where it may not have said its name. */
export const shopIn = ({ say }: Words, name: string): string => (name === "" ? say("shop") : name);

const INLINE_CHARS_MAX = 120;
/** Shown by no program: would hide from the patterns below what its reader sees as one word. */
const INVISIBLE = /[\u00ad\u200b\u2060-\u2064]/g;
const NOT_INLINE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu;
/** What mail programs make a link of by themselves: a scheme, and a dot between a name and what may be a domain (vowel signs are marks). */
const SCHEME_COLON = /:(?=\/\/)|(?<=\b(?:mailto|tel|sms|data|javascript)):(?=\S)/giu;
const DOMAIN_DOT =
  /(?<=[\p{L}\p{M}\p{N}\p{Join_Control}_-])[.\u3002\uff0e\uff61](?=\p{L}[\p{L}\p{M}\p{N}-])/gu;
/** An e-mail address that ends its word; it leads to no page. */
const ADDRESS = /^[^@/:\\]+@[^@/:\\]+$/u;

const breakLinks = (text: string): string =>
  text.replaceAll(SCHEME_COLON, "[:]").replaceAll(DOMAIN_DOT, "[.]");

/** Typed text in which nothing becomes a link: the mail programs of its readers must not offer what a stranger chose. */
const withoutLinks = (line: string): string =>
  line.includes("@")
    ? line
        .split(" ")
        .map((word) => (ADDRESS.test(word) ? word : breakLinks(word)))
        .join(" ")
    : breakLinks(line);

/** How many times the length of its result is read of a text: the patterns above take long on a long one. */
const READ_FACTOR = 2;

/**
 * Text that a person typed, as one line of bounded length without links. A line break could forge a paragraph or a link
 * line of the text part, and an invisible or bidirectional control could make one word look like another.
 */
export const typedText = (charsMax: number) =>
  z.string().transform((typed) => {
    const read = typed.slice(0, READ_FACTOR * charsMax);
    const line = withoutLinks(read.replaceAll(INVISIBLE, "").replaceAll(NOT_INLINE, " ").trim());
    const isWhole = line.length <= charsMax && read.length === typed.length;
    return isWhole ? line : `${line.slice(0, charsMax - 1)}…`;
  });

export const InlineText = typedText(INLINE_CHARS_MAX);
export const asInlineText = (typed: string): string => InlineText.parse(typed);

/** An absolute link without a blank in it: nothing else may become an `href`. */
export const MailLink = z.url({ protocol: /^https?$/ }).regex(/^[\x21-\x7e]+$/, "Expected an ASCII URL.");

/** RFC 3339 instant → "22 November 2026 at 14:05 UTC". */
export const instantIn = (words: Words, instant: string): string => `${words.instant(instant, "UTC")} UTC`;

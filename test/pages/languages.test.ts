import { describe, expect, it } from "vitest";
import { z } from "zod";

import { wordsIn } from "../../server/core/words.ts";
import { CODES } from "../../server/engines/allergens/data/codes.ts";
import { labelName } from "../../server/engines/allergens/rules/names.ts";
import { asInlineText } from "../../server/mail/template.ts";
import { isMailName, mailTemplates, renderMail } from "../../server/mail/render.ts";
import type { MailName } from "../../server/mail/render.ts";
import en from "../../templates/locales/en.json" with { type: "json" };
import { dumpStore } from "../contract/dump.ts";
import { endpoints } from "../contract/world.ts";
import { createVisit, hostedPages } from "./hosted-pages.ts";
import type { Play } from "./hosted-pages.ts";

// Renders every hosted page and every mail in each language, and finds no message missing and no English left. A text
// is English if the English page has it too, or if it contains English words; what a person wrote is left out.
const LOCALES = ["de-DE", "fr-FR"] as const;
type Locale = (typeof LOCALES)[number];

/** For developers and operators, in English; markup without words. */
const ENGLISH = /^pages\.(?!signup)|^forms\.forms\.embed$|^answeros\.schemas\.script$/;
const ENGLISH_WORD =
  /(?<![\w'’/.-])(?:the|and|of|your|you|is|are|this|with|from|for|please|has|have|been|it|we|to|or|at|not|only|was sent)(?![\w'’/@.-])/;

const pages = endpoints
  .map(({ route }) => route)
  .filter(
    ({ rawType, otherTypes, page }) =>
      rawType?.startsWith("text/html") === true || page || otherTypes.includes("text/html"),
  )
  .map(({ id }) => id)
  .filter((id) => !ENGLISH.test(id));

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" } as const;

/** A hash, an address, a request, a command. */
const NO_TEXT = /^(?:[0-9a-f]{12}$|https?\b|POST \/|platform \w)/;

/** What a reader sees or hears of a page. */
function textsOf(page: string): string[] {
  const body = page.replaceAll(/<style.*?<\/style>|<script.*?<\/script>/gs, "");
  const attributes = [...body.matchAll(/\s(?:alt|title|placeholder|aria-label)="([^"]*)"/g)];
  return [...body.split(/<[^>]*>/), ...attributes.map(([, text = ""]) => text)]
    .map((text) => Object.entries(ENTITIES).reduce((rest, [from, to]) => rest.replaceAll(from, to), text))
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => /\p{L}{2}/u.test(text) && !NO_TEXT.test(text));
}

/** Texts at any depth of a value, without the member that no person wrote. */
const stringsOf = (value: unknown): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, member]) => (name === "disclosure" ? [] : stringsOf(member)))
    : [String(value)];

const inBothCases = (word: string): string[] => [word, word.charAt(0).toUpperCase() + word.slice(1)];

const isKey = (key: string): key is keyof typeof en => Object.hasOwn(en, key);

/** Words that are the same in English: "Status", "Lupin". */
function sharedIn(locale: Locale): string[] {
  const { say } = wordsIn(locale);
  const messages = Object.keys(en).filter((key) => isKey(key) && !en[key].includes("{"));
  const language = locale === "de-DE" ? "de" : "fr";
  return [
    ...messages.filter(isKey).flatMap((key) => (say(key) === en[key] ? [en[key]] : [])),
    ...CODES.map(({ code }) => labelName(code, { mode: "eu", locale: language })),
    "Storefront platform",
  ];
}

/** Texts that are left in English; `written` is what persons wrote. */
function leftIn(
  { own, english }: { readonly own: readonly string[]; readonly english: readonly string[] },
  written: readonly string[],
): string[] {
  const same = new Set(english);
  const rests = written
    .flatMap((text) => text.split("\n"))
    .filter((text) => text.trim().length > 1)
    .toSorted((a, b) => b.length - a.length);
  return own.filter((text) => {
    const rest = rests.reduce(
      (left, each) => (left.includes(each) ? left.replaceAll(each, "_") : left),
      text,
    );
    return same.has(text) ? /\p{L}{2}/u.test(rest) : ENGLISH_WORD.test(rest);
  });
}

it("every page that customers and staff read is rendered", () =>
  expect(Object.keys(hostedPages).toSorted()).toEqual(pages.toSorted()));

/** The texts of a page in English, read once. */
const englishTexts = new Map<string, Promise<string[]>>();

async function readEnglish(play: Play): Promise<string[]> {
  const visit = await createVisit("en-GB");
  const texts = (await play(visit)).flatMap(({ text }) => textsOf(text));
  await visit.harness.close();
  return texts;
}

describe.each(LOCALES)("pages in %s", (locale) => {
  const shared = sharedIn(locale);

  it.each(Object.entries(hostedPages))("%s", { timeout: 60_000 }, async (name, play) => {
    const visit = await createVisit(locale);
    const answers = await play(visit);
    const documents = [...(await dumpStore(visit.harness.store))].map(([key, text]) => ({
      texts: stringsOf(JSON.parse(text.slice(text.indexOf(" ") + 1))),
      isFood: key.includes(":allergens."),
    }));
    await visit.harness.close();
    const reading = englishTexts.get(name) ?? readEnglish(play);
    englishTexts.set(name, reading);
    const english = await reading;
    expect(answers.map(({ status }) => status)).not.toContain(500);
    expect(answers.some(({ status }) => status === 200 || status === 303)).toBe(true);
    const written = documents.flatMap(({ isFood, texts }) => [
      ...texts,
      // A label has the names of ingredients in pieces, and begins sentences with capitals.
      ...(isFood ? texts.flatMap((text) => text.split(/[^\p{L}]+/u).flatMap(inBothCases)) : []),
    ]);
    const own = answers.flatMap(({ text }) => textsOf(text));
    expect(leftIn({ own, english }, [...new Set([...written, ...shared])])).toEqual([]);
    for (const { text } of answers.filter(({ text }) => text.includes("<html")))
      expect(/<html lang="(\w+)/.exec(text)?.[1]).toBe(locale.slice(0, 2));
  });
});

const baseUrl = "https://api.shop.example";
const names = Object.keys(mailTemplates).filter(isMailName);

/** The example of a mail, and that example with each member changed: every choice, no list, no text, null. */
function variantsOf(name: MailName): Record<string, unknown>[] {
  const { example, schema } = mailTemplates[name];
  const changes = Object.entries(schema.shape).flatMap(([key, member]) =>
    changesOf(member, Reflect.get(example, key)).map((value) => ({ ...example, [key]: value })),
  );
  return [example, ...changes].filter((data) => schema.safeParse(data).success);
}

const changesOf = (member: unknown, value: unknown): unknown[] =>
  member instanceof z.ZodEnum ? member.options : typeof value === "boolean" ? [!value] : ["", null, [], 0, 1];

describe.each(LOCALES)("mails in %s", (locale) => {
  const shared = sharedIn(locale);
  const sender = { store: "demo", choicesUrl: `${baseUrl}/choices` };
  const textOf = async (name: MailName, data: object, language?: string) => {
    // Of the mail's own schema, which `variantsOf` has checked.
    const mail = await renderMail(
      name,
      { ...mailTemplates[name].example, ...data },
      { baseUrl, locale: language, sender },
    );
    const paragraphs = mail.text.split("\n\n").map((part) => part.replaceAll("\n", " "));
    return {
      ...mail,
      texts: [mail.subject, ...paragraphs, ...textsOf(mail.html)].filter((text) => !NO_TEXT.test(text)),
    };
  };

  it.each(names)("%s", async (name) => {
    for (const data of variantsOf(name)) {
      const english = await textOf(name, data);
      const own = await textOf(name, data, locale);
      expect(own.subject).not.toBe(english.subject);
      expect(own.html).toContain(`lang="${locale}"`);
      const written = [
        ...stringsOf(data).flatMap((text) => [text, asInlineText(text)]),
        ...shared,
        "POST",
        "platform",
        "storefront-platform",
      ];
      expect(leftIn({ own: own.texts, english: english.texts }, written)).toEqual([]);
    }
  });
});

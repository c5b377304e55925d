/**
 * What content and answeros know of a text, worked out once by `readText` (`read.ts`): the scores of both rest on these
 * facts and on nothing else. Members are written as they are served.
 */

/** Version of the rules by which a text is read. Scores store it: figures of different versions are not compared. */
export const TEXT_MODEL = 1;

export interface TextInput {
  readonly body: string;
  readonly format: "markdown" | "html";
  /** BCP 47, as in `en-GB`. */
  readonly locale: string;
  /** Address of the page: relative links are resolved against it, and its host separates internal links from outbound ones. */
  readonly base_url?: string | undefined;
  /**
   * `main` reads the `<main>` (else the `<article>`, else all but navigation, header, footer and asides) of a whole page;
   * the default reads everything.
   */
  readonly scope?: "all" | "main";
}

export interface TextModel {
  readonly text_model: typeof TEXT_MODEL;
  /** Version of ICU, which segments words and sentences and moves with Node.js. */
  readonly icu: string;
  readonly language: Language;
  /** The body after the allow-list: safe to show. */
  readonly html: string;
  /** The blocks as plain text, an empty line between two. */
  readonly text: string;
  /** In reading order. */
  readonly blocks: readonly Block[];
  /** All sentences of all blocks, in reading order. */
  readonly sentences: readonly Sentence[];
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  readonly images: readonly Image[];
  readonly lists: readonly List[];
  readonly tables: readonly Table[];
  /** Sentences in the passive voice; null where it is not known (all but English). */
  readonly passive_sentences: number | null;
  readonly counts: TextCounts;
}

export type BlockKind = "paragraph" | "heading" | "list_item" | "quote" | "cell";

export interface Block {
  readonly kind: BlockKind;
  /** 1–6 for a heading, else 0. */
  readonly level: number;
  readonly text: string;
  readonly sentences: readonly Sentence[];
  readonly word_count: number;
}

export interface Sentence {
  readonly text: string;
  /** Place of its block in `blocks`. */
  readonly block: number;
  /** As written; what ICU calls word-like. */
  readonly words: readonly string[];
  /** Stems of its content words, in order, with repetitions: stop words are left out. */
  readonly stems: readonly string[];
}

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly block: number;
  /** Ends in a question mark, or begins as a question of its language does. */
  readonly is_question: boolean;
}

export interface Link {
  /** Absolute where it can be resolved, else as written. */
  readonly href: string;
  readonly text: string;
  /** Lower-case tokens. */
  readonly rel: readonly string[];
  /** `internal`: same host as `base_url`, or relative; `outbound`: another host; `other`: mail, telephone, a place on the page. */
  readonly kind: "internal" | "outbound" | "other";
  /** Neither nofollow, ugc nor sponsored. */
  readonly is_followed: boolean;
}

export interface Image {
  /** Absolute where it can be resolved, else as written. */
  readonly src: string;
  /** Null where there is none; empty where the author says the image is decoration. */
  readonly alt: string | null;
}

export interface List {
  readonly is_ordered: boolean;
  readonly items: readonly string[];
}

export interface Table {
  readonly rows: number;
  readonly columns: number;
  /** Texts of its header cells; empty where there are none. */
  readonly headers: readonly string[];
}

export interface TextCounts {
  readonly words: number;
  readonly sentences: number;
  /** Blocks of kind `paragraph`. */
  readonly paragraphs: number;
  /** At least one for each word. */
  readonly syllables: number;
  /** Words of three syllables and more. */
  readonly polysyllables: number;
  /** Letters of all words, as the Coleman–Liau index counts. */
  readonly letters: number;
  /** Letters and digits of all words, as the automated readability index counts. */
  readonly characters: number;
}

/** How a language is read; `loadLanguage` (`language.ts`) makes one. All functions are pure. */
export interface Language {
  /** Canonical BCP 47. */
  readonly locale: string;
  /** Its language alone, as in `en`. */
  readonly code: string;
  words(text: string): string[];
  sentences(text: string): string[];
  /** Stems of the content words in order: lower case, no marks, no possessive, no stop words. */
  stems(text: string): string[];
  /** The stem of one word; null for a stop word. */
  stem(word: string): string | null;
  /** At least 1. Counted for English, German and French; elsewhere it is a rough guess. */
  syllables(word: string): number;
}

/** What the head of a page and its JSON-LD say; `readPage` (`page.ts`) makes it. */
export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  /** `lang` of the page; null where it has none. */
  readonly lang: string | null;
  /** Absolute where it can be resolved, else as written; null where there is none. */
  readonly canonical: string | null;
  /** What `<meta name="robots">`, that of the named crawler, and `X-Robots-Tag` ask together. */
  readonly robots: {
    readonly noindex: boolean;
    readonly nofollow: boolean;
    readonly nosnippet: boolean;
    /** Characters; null without a limit (absent or -1). */
    readonly max_snippet: number | null;
  };
  /** Raw text of each `application/ld+json` block, not parsed yet. */
  readonly json_ld: readonly string[];
  /** `og:` and `article:` properties, the first of each. */
  readonly properties: Readonly<Record<string, string>>;
  /** Values of `datetime` attributes in reading order. */
  readonly times: readonly string[];
  /** The main part of the page as text. */
  readonly text: TextModel;
}

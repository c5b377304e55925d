import { inkOn } from "../lib/contrast.ts";
import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import type { Words } from "../core/words.ts";

/** What a mail says, part by part: its text part and its HTML part are both made from these, so they agree. */
export type Block =
  /** A paragraph; an empty one is left out. */
  | string
  /** Text of a person, marked so that it cannot be taken for words of the mail itself. */
  | { readonly kind: "quote"; readonly text: string }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [label: string, value: string])[] }
  /** A command or a route, on a line of its own. */
  | { readonly kind: "code"; readonly text: string }
  /** The link of the mail: a button, and alone on its line in the text part, so that scripts can pick it out. */
  | { readonly kind: "link"; readonly url: string; readonly label: string; readonly lead: string }
  /** How to stop these mails, and why they came. */
  | { readonly kind: "stop"; readonly url: string; readonly why: string };

export interface MailContent {
  readonly subject: string;
  /** Heading of the mail; default: its subject. */
  readonly title?: string;
  readonly blocks: readonly Block[];
}

export const quote = (text: string): Block => ({ kind: "quote", text });
export const code = (text: string): Block => ({ kind: "code", text });
/** Facts with an empty value are left out. */
export const facts = (...all: readonly (readonly [label: string, value: string])[]): Block => ({
  kind: "facts",
  facts: all.filter(([, value]) => value !== ""),
});
export const link = (url: string, label: string, lead: string): Block => ({ kind: "link", url, label, lead });

const WIDTH = 72;

/** Breaks a sentence at blanks, so that no line is too long to read. */
export function wrap(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .flatMap((line) => wrap(line).split("\n"))
    .map((line) => `> ${line}`)
    .join("\n");

const isEmpty = (block: Block): boolean =>
  block === "" ||
  (typeof block !== "string" &&
    ((block.kind === "quote" && block.text === "") || (block.kind === "facts" && block.facts.length === 0)));

function blockText({ say }: Words, block: Block): string {
  if (typeof block === "string") return wrap(block);
  switch (block.kind) {
    case "quote":
      return quoted(block.text);
    case "code":
      return block.text;
    case "facts":
      return block.facts.map(([label, value]) => wrap(say("mail.label", { label, value }))).join("\n");
    case "link":
      return `${wrap(block.lead)}\n\n${block.url}`;
    case "stop":
      return `${wrap(block.why)}\n${say("mail.label", { label: say("mail.unsubscribe"), value: block.url })}`;
  }
}

/** The text part. */
export function writeText(words: Words, content: MailContent, baseUrl: string): string {
  const title = content.title ?? content.subject;
  const parts = content.blocks.filter((block) => !isEmpty(block)).map((block) => blockText(words, block));
  return [
    `${title}\n${"=".repeat(title.length)}`,
    ...parts,
    `-- \n${words.say("mail.sent_by", { url: baseUrl })}\n`,
  ].join("\n\n");
}

const QUIET = "margin:16px 0 0;font-size:13px;line-height:20px;color:#57606a";
const BAR = "margin:16px 0 0;white-space:pre-line;padding-left:12px;border-left:3px solid #8b949e";

const paragraph = (body: Html): Html => html`<div style="margin:16px 0 0">${body}</div>`;

function blockHtml({ say }: Words, block: Block, accent: string): Html {
  if (typeof block === "string") return paragraph(html`${block}`);
  switch (block.kind) {
    case "quote":
      return html`<div style="${BAR}">${block.text}</div>`;
    case "code":
      return paragraph(html`<code style="font-size:14px">${block.text}</code>`);
    case "facts":
      return paragraph(
        html`${block.facts.map(
          ([label, value], at) =>
            html`${at === 0 ? null : html`<br />`}${say("mail.label", { label, value: "" })}<strong
                >${value}</strong
              >`,
        )}`,
      );
    case "link":
      return linkHtml(say, block, accent);
    case "stop":
      return html`<div class="quiet break" style="${QUIET}">
        ${block.why} <a href="${block.url}">${say("mail.unsubscribe")}</a>
      </div>`;
  }
}

/** A table, because Outlook draws no padding around links. */
const linkHtml = (
  say: Words["say"],
  { label, lead, url }: { readonly label: string; readonly lead: string; readonly url: string },
  accent: string,
): Html =>
  html`${paragraph(html`${lead}`)}
    <table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:16px 0 0">
      <tr>
        <td bgcolor="${accent}" style="border-radius:6px;background:${accent}">
          <a
            href="${url}"
            style="display:inline-block;padding:14px 28px;font-weight:600;color:${inkOn(accent)};text-decoration:none;border-radius:6px"
            >${label}</a
          >
        </td>
      </tr>
    </table>
    <div class="quiet break" style="${QUIET}">${say("mail.or_copy")}<br /><a href="${url}">${url}</a></div>`;

/** What the layout shows; `accent` is the color of buttons. */
export function writeHtml(
  words: Words,
  content: MailContent,
  look: { baseUrl: string; accent: string },
): Html {
  const [before = "", after = ""] = words.say("mail.sent_by", { url: "\n" }).split("\n");
  return html`<h1 style="margin:0;font-size:22px;line-height:30px">${content.title ?? content.subject}</h1>
    ${content.blocks.filter((block) => !isEmpty(block)).map((block) => blockHtml(words, block, look.accent))}
    <div class="quiet break" style="${QUIET}">
      ${before}<a href="${look.baseUrl}">${look.baseUrl}</a>${after}
    </div>`;
}

import type { AiInput } from "../../core/ai.ts";
import type { Block, TextModel } from "../../lib/text/model.ts";
import { proseOf, summarise } from "./extract.ts";
import type { Made } from "./made.ts";
import { upperFirst } from "./titles.ts";

/**
 * A first draft (Markdown) put together from notes: title, the sentences that say most, then the notes under their own
 * headings, then the facts as a list. It adds no word of its own.
 */
export function draft(input: AiInput, model: TextModel): Made {
  const title = input.title ?? (input.keyphrase === undefined ? undefined : upperFirst(input.keyphrase));
  const lead = proseOf(model).length > 3 ? summarise({ count: 2 }, model).text : "";
  const body = model.blocks.flatMap((block, place) => {
    // The title is at the top already.
    if (block.kind === "heading" && block.level === 1) return [];
    return [toMarkdown(withoutLead(block, lead), model.blocks[place + 1])];
  });
  const facts = (input.facts ?? []).map((fact) => `- ${fact}`).join("\n");
  const parts = [
    title === undefined ? "" : `# ${title}\n\n`,
    lead === "" ? "" : `${lead}\n\n`,
    ...body,
    facts,
  ];
  return {
    text: parts
      .join("")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim(),
  };
}

/** What was moved to the top is not said twice. */
function withoutLead(block: Block, lead: string): Block {
  if (block.kind !== "paragraph" || lead === "") return block;
  const rest = block.sentences.filter(({ text }) => !lead.includes(text));
  return { ...block, text: rest.map(({ text }) => text).join(" ") };
}

function toMarkdown({ kind, level, text }: Block, next: Block | undefined): string {
  if (text === "") return "";
  if (kind === "heading") return `${"#".repeat(Math.max(2, level))} ${text}\n\n`;
  if (kind === "list_item" || kind === "cell") return `- ${text}\n${next?.kind === kind ? "" : "\n"}`;
  return kind === "quote" ? `> ${text}\n\n` : `${text}\n\n`;
}

import { toInstant } from "../../../lib/instant.ts";
import type { EnginePorts } from "../../../core/ports.ts";
import { holidaysOf, nextNumber, quotes, readSettings } from "../repository.ts";
import { NewQuote } from "../schema/requests.ts";
import { newQuote } from "./write-quote.ts";

/** Drafts the quote that was asked for elsewhere (a form): the kitchen looks at it and sends it. */
export const createQuote: EnginePorts["createQuote"] = async (tx, wanted) => {
  const { customer, dietary, event, guests, lines, metadata, newId, now, title } = wanted;
  const settings = await readSettings(tx);
  const nowAt = toInstant(now);
  const work = { now, nowAt, part: tx.part, newId, tx, settings, holidays: holidaysOf(settings) };
  const body = NewQuote.parse({
    prospect: customer,
    title,
    lines,
    event,
    headcount: { estimate: guests },
    dietary,
    metadata,
  });
  const quote = await newQuote(work, body, await nextNumber(tx, "quotes"));
  tx.create(quotes, quote);
  return { id: quote.id, number: quote.number };
};

export const quoteStateOf: EnginePorts["quoteStateOf"] = async (tx, quoteId) => {
  const quote = (await tx.get(quotes, quoteId))?.value;
  return quote === undefined ? null : { status: quote.status };
};

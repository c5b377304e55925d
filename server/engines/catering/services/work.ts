import { conflict } from "../../../lib/errors.ts";
import { derivedId } from "../../../core/ids.ts";
import { ERASED_EMAIL } from "../../../core/personal.ts";
import { storeFace } from "../../../core/face.ts";
import type { Words } from "../../../core/words.ts";
import { stageStoreMail } from "../../../core/store-mail.ts";
import type { Work } from "../../../core/ports.ts";
import type { Tx } from "../../../core/tx.ts";
import { events, holidaysOf, readSettings } from "../repository.ts";
import type { CateringEvent, EventType } from "../schema/event.ts";
import type { Settings } from "../schema.ts";

/** A transaction with the store's settings: what every step of quotes, orders and invoices works in. */
export interface CateringWork extends Work {
  readonly tx: Tx;
  readonly settings: Settings;
  /** Of the store: its mails are in its language. */
  readonly words: Words;
  readonly holidays: ReadonlySet<string>;
}

export async function openWork({ now, nowAt, part, newId, ports }: Work, tx: Tx): Promise<CateringWork> {
  const settings = await readSettings(tx);
  return {
    now,
    nowAt,
    part,
    newId,
    ports,
    tx,
    settings,
    words: await storeFace(tx),
    holidays: holidaysOf(settings),
  };
}

/** Notes what happened, in the commit of it. */
export function emit(
  { newId, nowAt, tx }: Pick<CateringWork, "newId" | "nowAt" | "tx">,
  type: EventType,
  subjectId: string,
  data: CateringEvent["data"] = {},
): void {
  const id = newId("evt");
  tx.create(events, { id, created_at: nowAt, type, subject_id: subjectId, data });
  // What a person wrote stays here.
  const { reason, ...details } = data;
  const code = type === "account.over_limit" ? { reason } : {};
  tx.emit({ id, type: `catering.${type}`, at: nowAt, data: { subject_id: subjectId, ...details, ...code } });
}

export interface Mail {
  /** With the store it makes the mail's id, so that the same mail is sent once. */
  readonly about: readonly string[];
  readonly to: string;
  /** Address of the person concerned, where it goes to another recipient: it is erased with them. */
  readonly person?: string | undefined;
  readonly template: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Stages a mail, unless the store sends none, or its recipient was erased. */
export async function mail({ part, settings, nowAt, tx }: CateringWork, storeMail: Mail) {
  const { about, to, person, template, data } = storeMail;
  if (!settings.send_mail || to === ERASED_EMAIL) return;
  const id = derivedId("ltr", new Uint8Array(), [part, "catering", ...about]);
  const whom = person === undefined || person === to ? {} : { about: person };
  await stageStoreMail(tx, { id, to, template, data, ...whom, created_at: nowAt });
}

/** The name of the shop in a sentence or a title. */
export const shopName = ({ shop_name: name }: Settings, { say }: Pick<Words, "say">): string =>
  name === "" ? say("shop") : name;

/** A refusal of a rule as the error that a caller gets. */
export const refused = ({ code, detail }: { readonly code: string; readonly detail: string }) =>
  conflict(code, detail);

export const invalidState = (detail: string) => conflict("invalid_transition", detail);

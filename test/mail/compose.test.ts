import { expect, it } from "vitest";

import { composeMail } from "../../server/mail/compose.ts";
import { mailTemplates } from "../../server/mail/render.ts";

const composed = async (reply_to?: string) => {
  const data = mailTemplates["forms-notification"].example;
  const { message } = await composeMail(
    {
      to: "hello@bakery.example",
      template: "forms-notification",
      data: reply_to === undefined ? data : { ...data, reply_to },
    },
    { id: "mail_1", nowMs: 0, from: "no-reply@shop.example", baseUrl: "https://api.shop.example" },
  );
  return message.reply_to;
};

it("has an answer go to who sent a form, and leaves an address out that no header can hold", async () => {
  expect(await composed()).toBeUndefined();
  expect(await composed("ada@office.example")).toBe("ada@office.example");
  for (const unsafe of ["ada@office.example, eve@evil.example", "a@b.example\r\nBcc: x@evil.example", ""]) {
    expect(await composed(unsafe), unsafe).toBeUndefined();
  }
});

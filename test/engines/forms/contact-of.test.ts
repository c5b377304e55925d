import { describe, expect, it } from "vitest";

import { contactOf, subjectOf, typedText } from "../../../server/engines/forms/rules/contact-of.ts";
import { content, field, options } from "./make.ts";

describe("who sent a form", () => {
  const fields = [
    field("who", { type: "name" }),
    field("mail", { type: "email" }),
    field("other_mail", { type: "email" }),
    field("tel", { type: "phone" }),
    field("topic", { type: "select", options: options("order") }),
    field("text", { type: "textarea" }),
  ];
  const data = {
    who: "Ada",
    mail: "Ada@shop.example",
    other_mail: "b@c.example",
    topic: "order",
    text: "Hello",
  };

  it("is the first field of each kind, or the one that is named", () => {
    const form = content({ fields });
    expect(contactOf(form, data)).toEqual({ name: "Ada", email: "Ada@shop.example", phone: null });
    const named = { ...form, contact: { name: null, email: "other_mail", phone: null } };
    expect(contactOf(named, data).email).toBe("b@c.example");
    expect(subjectOf({ email: "Ada@shop.example" })).toBe("ada@shop.example");
    expect(subjectOf({ email: null })).toBeNull();
  });

  it("typed only what is not chosen from a list", () => expect(typedText(fields, data)).toBe("Ada\nHello"));
});

import type { WritePhone } from "../rules/normalise.ts";
import type { ShowPhone } from "../rules/write-export.ts";
import type { Field } from "../schema/field.ts";

/** For forms without phone fields. */
const leave: WritePhone = (text) => text;

/** Formatting of phone numbers as E.164. The metadata is loaded by the first form that needs it. */
export async function phoneWriter(fields: readonly Field[]): Promise<WritePhone> {
  if (!fields.some(({ type }) => type === "phone")) return leave;
  const { isSupportedCountry, parsePhoneNumberFromString } = await import("libphonenumber-js");
  return (text, region) => {
    const country = isSupportedCountry(region) ? region : "GB";
    const phone = parsePhoneNumberFromString(text, country);
    return phone?.isPossible() === true ? phone.number : null;
  };
}

/** Phone numbers as text in a table, which libphonenumber and people read back. */
export async function phoneShower(fields: readonly Field[]): Promise<ShowPhone> {
  if (!fields.some(({ type }) => type === "phone")) return (number) => `(${number})`;
  const { parsePhoneNumberFromString } = await import("libphonenumber-js");
  return (number) =>
    (parsePhoneNumberFromString(number)?.formatInternational() ?? number).replace(/^\+\d+/, "($&)");
}

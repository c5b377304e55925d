import type { WritePhone } from "../rules/normalise.ts";
import type { Field } from "../schema/field.ts";

/** For forms that ask for no phone number. */
const leave: WritePhone = (text) => text;

/** How phone numbers are written as E.164. The table of the world's numbers is loaded by the first form that asks for one. */
export async function phoneWriter(fields: readonly Field[]): Promise<WritePhone> {
  if (!fields.some(({ type }) => type === "phone")) return leave;
  const { isSupportedCountry, parsePhoneNumberFromString } = await import("libphonenumber-js");
  return (text, region) => {
    const country = isSupportedCountry(region) ? region : "GB";
    const found = parsePhoneNumberFromString(text, country);
    return found?.isPossible() === true ? found.number : null;
  };
}

import type { WritePhone } from "../rules/normalise.ts";
import type { ShowPhone } from "../rules/write-export.ts";
import type { Field } from "../schema/field.ts";

/** For forms without phone fields. */
const leave: WritePhone = (text) => text;

/** Formatting of phone numbers as E.164. The metadata is loaded by the first form that needs it. */
export async function phoneWriter(fields: readonly Field[]): Promise<WritePhone> {
  if (!fields.some(({ type }) => type === "phone")) return leave;
  const { getSupportedRegionCodes, parsePhoneNumber } = await import("awesome-phonenumber");
  const regions = new Set(getSupportedRegionCodes());
  return (text, region) => {
    const regionCode = regions.has(region) ? region : "GB";
    const { number, possible, shortPossible, valid } = parsePhoneNumber(text, { regionCode });
    // Of its shape may also be an emergency number, or one without its area code.
    return possible && (valid || shortPossible !== true) ? (number?.e164 ?? null) : null;
  };
}

/** Phone numbers as text in a table, which libphonenumber and people read back. */
export async function phoneShower(fields: readonly Field[]): Promise<ShowPhone> {
  if (!fields.some(({ type }) => type === "phone")) return (number) => `(${number})`;
  const { parsePhoneNumber } = await import("awesome-phonenumber");
  return (number) => (parsePhoneNumber(number).number?.international ?? number).replace(/^\+\d+/, "($&)");
}

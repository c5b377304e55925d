import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { splitList } from "../../../lib/split-list.ts";
import { isKnownCode } from "../data/codes.ts";
import { describeUnknownCode, toCode } from "../rules/understand-code.ts";
import { CLAIMS } from "../schema/declaration.ts";
import type { Claim } from "../schema/declaration.ts";

/** A query parameter that holds several values, separated by commas. */
export const ListText = z.string().min(1).max(400).optional();

/** Allergen codes of a parameter; throws 422 for one that is unknown. */
export function readCodes(parameter: string, text: string | undefined): string[] {
  const codes = [...new Set(splitList(text).map(toCode))];
  const unknown = codes.find((code) => !isKnownCode(code));
  if (unknown === undefined) return codes;
  throw invalidParameter(parameter, describeUnknownCode(unknown));
}

/** Dietary claims of a parameter; throws 422 for one that is unknown. */
export function readClaims(parameter: string, text: string | undefined): Claim[] {
  return readChoices(parameter, text, CLAIMS);
}

/** Values of a parameter out of a fixed list; throws 422 for any other. */
export function readChoices<T extends string>(
  parameter: string,
  text: string | undefined,
  choices: readonly T[],
): T[] {
  return splitList(text).map((value) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalidParameter(parameter, `Expected some of ${choices.join(", ")}.`);
  });
}

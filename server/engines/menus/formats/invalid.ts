import { invalidField } from "../../../lib/errors.ts";
import type { Problem } from "../../../lib/errors.ts";
import type { Path } from "./losses.ts";

/** 422 for a path in the imported document, the field `data` of the request. */
export const invalid = (path: Path, detail: string): Problem => invalidField(["data", ...path], detail);

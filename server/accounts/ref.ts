import { z } from "zod";

/** An id of ours in a query. Anything else could not name a document, and must not become part of an index key. */
export const Ref = z.string().regex(/^[A-Za-z0-9_]{3,64}$/, "Expected an id.");

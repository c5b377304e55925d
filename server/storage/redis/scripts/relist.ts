import { defineScript } from "../script.ts";
import { REVISIONS } from "./revisions.ts";

/**
 * Of these ids, those whose place in the order of a collection does not agree with its documents: "unlisted" is a document that
 * no page shows, "dangling" a place without a document. With "1" each is repaired in the same step: the documents are right.
 * Returns ids and what is wrong with them in turn. KEYS: docs, order, sequence, revisions. ARGV: "1" to repair, ids.
 */
export const relistScript = defineScript(
  `${REVISIONS}${String.raw`
local found = {}
for i = 2, #ARGV do
  local id = ARGV[i]
  local stored = redis.call("HEXISTS", KEYS[1], id) == 1
  local listed = redis.call("ZSCORE", KEYS[2], id)
  if stored and listed ~= "0" then
    found[#found + 1] = id
    found[#found + 1] = "unlisted"
    if ARGV[1] == "1" then redis.call("ZADD", KEYS[2], 0, id) end
  elseif listed and not stored then
    found[#found + 1] = id
    found[#found + 1] = "dangling"
    if ARGV[1] == "1" then redis.call("ZREM", KEYS[2], id) end
  end
end
if ARGV[1] == "1" and #found > 0 then RENEW(KEYS[4], redis.call("GET", KEYS[3]) or "0") end
return found
`}`,
);

/**
 * Compares the number of documents that is kept with theirs, and with "1" corrects it. Answers 1 when it was wrong.
 * KEYS: counts, docs. ARGV: "1" to repair, collection.
 */
export const recountScript = defineScript(String.raw`
local real = redis.call("HLEN", KEYS[2])
if tonumber(redis.call("HGET", KEYS[1], ARGV[2]) or "0") == real then return 0 end
if ARGV[1] == "1" then
  if real == 0 then redis.call("HDEL", KEYS[1], ARGV[2]) else redis.call("HSET", KEYS[1], ARGV[2], real) end
end
return 1
`);

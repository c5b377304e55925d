import { INDEX_ENTRY_BYTES } from "../../usage.ts";
import { defineScript } from "../script.ts";

/**
 * What the scripts that count share. A usage is the numbers of documents, bytes and bytes of the platform's own. It counts only
 * with the version that wrote it: after a commit by a process of an older release, or without it, it has to be recounted. Releases
 * that counted no index entries had other fields, and may run at the same time while nodes are replaced.
 */
export const USAGE = String.raw`
local function USAGE(key, last)
  if not last then return {0, 0, 0} end
  local found = redis.call("HMGET", key, "version", "docs", "size", "own")
  if found[1] ~= last then return nil end
  return {tonumber(found[2]), tonumber(found[3]), tonumber(found[4])}
end

local function TEXTS(total)
  return {string.format("%.0f", total[1]), string.format("%.0f", total[2]), string.format("%.0f", total[3])}
end

local function SAVE(key, version, total)
  local texts = TEXTS(total)
  redis.call("HSET", key, "version", version, "docs", texts[1], "size", texts[2], "own", texts[3])
end

-- Of a kind of index, the total that its entries count in.
local INDEX = {index = 2, system_index = 3}

-- Bytes of the JSON of what is stored as version and JSON.
local function SIZE(text) return #text - (string.find(text, "\n", 1, true) or #text) end

-- Adds up one document: bytes of its key, of the JSON that was stored and of that to come, which are false or nil where there is none. The
-- id of a document that represents a file ends in the bytes of the file.
local function TALLY(total, as, id, key_bytes, old, value)
  local index = INDEX[as]
  if index then
    total[index] = total[index] + ${INDEX_ENTRY_BYTES} * ((value and 1 or 0) - (old and 1 or 0))
    return
  end
  local bytes, documents = 0, 0
  if as == "held" then key_bytes = key_bytes + tonumber(string.match(id, "%.(%d+)$") or "0") end
  if old then
    bytes = -old - key_bytes
    documents = -1
  end
  if value then
    bytes = bytes + value + key_bytes
    documents = documents + 1
  end
  if as == "system" then
    total[3] = total[3] + bytes
  else
    total[1] = total[1] + documents
    total[2] = total[2] + bytes
  end
end
`;

/**
 * Counts what a partition holds from its documents. Answers whether the stored usage agrees ("1" or "0") and the numbers; nothing
 * where a collection is not among those given. With "1" the usage is corrected.
 * KEYS: sequence, counts, usage, docs of each collection. ARGV: "1" to correct, bytes of the partition's name, then name of each
 * collection and how it counts.
 */
export const recountUsageScript = defineScript(
  `${USAGE}${String.raw`
local last = redis.call("GET", KEYS[1])
local listed = {}
local total = {0, 0, 0}
for k = 4, #KEYS do
  local name, as = ARGV[2 * k - 5], ARGV[2 * k - 4]
  listed[name] = true
  local cursor = "0"
  local seen = {}
  local index = INDEX[as]
  if index then total[index] = total[index] - ${INDEX_ENTRY_BYTES} * redis.call("HLEN", KEYS[k]) end
  while not index do
    local step = redis.call("HSCAN", KEYS[k], cursor, "COUNT", 1000)
    cursor = step[1]
    for i = 1, #step[2], 2 do
      local id = step[2][i]
      if not seen[id] then
        seen[id] = true
        TALLY(total, as, id, tonumber(ARGV[2]) + #name + #id + 2, SIZE(step[2][i + 1]), nil)
      end
    end
    if cursor == "0" then break end
  end
end
for i = 1, 3 do total[i] = 0 - total[i] end
for _, name in ipairs(redis.call("HKEYS", KEYS[2])) do
  if not listed[name] then return false end
end
local have = USAGE(KEYS[3], last)
local same = "0"
if have and have[1] == total[1] and have[2] == total[2] and have[3] == total[3] then same = "1" end
if last and ARGV[1] == "1" and same == "0" then SAVE(KEYS[3], last, total) end
local texts = TEXTS(total)
return {same, texts[1], texts[2], texts[3]}
`}`,
);

/** What a partition holds, or nothing when that is not known. KEYS: sequence, usage. */
export const usageScript = defineScript(
  `${USAGE}${String.raw`
local total = USAGE(KEYS[2], redis.call("GET", KEYS[1]))
return total and TEXTS(total)
`}`,
);

import { defineLightScript, SAME } from "../script.ts";
import { REVISIONS } from "./revisions.ts";
import { WINDOW } from "./take.ts";

/**
 * Everything that the requests of one turn of a node's event loop ask, in one step: reads and counts. What a node has read before
 * comes with the revisions that it had; where they are still current, the answer is 1 and nothing is read.
 *
 * Answers the revisions of the collections ("" where they are not known), then one answer for each question. A question that meets
 * what this driver did not write is answered with an error of its own; an error that concerns Redis as a whole ends the script.
 *
 * KEYS: in any order, the identity last. ARGV: id of the store; now ("" for Redis's own time); bytes of documents
 * that one "docs" may read ("" for no limit); number of partitions, each with
 * its sequence, its revisions, and the number of collections, each with name and number; then questions, each with its kind, the number of its
 * arguments and these. Keys and collections are referred to by their numbers.
 *
 * "docs": number of documents, each with docs, id, collection, known revision. Answers 1, or a list of what they contain, which ends
 * early where there are too many bytes, as that of a page does, and is empty where these are more than one may read.
 * "page": order, docs, lowest and highest id as ZRANGEBYLEX has them, limit, "1" for an index, then twice collection and known
 * revision: of the order and of the documents. Answers 1, or whether there is more, the ids, and what they (or, of an index, the
 * documents that they end in) contain.
 * "take": counter, limit, window in ms, amount, number of times, number of checks, each with docs, id, version, collection, revision at
 * which it was found true. Answers 0 where a check does not hold, or count before, number of times that fit, and end.
 */
export const turnScript = defineLightScript(
  `${SAME}${REVISIONS}${WINDOW}${String.raw`
local other = SAME(ARGV[1])
if other then return other end
local at = 3
local function pop()
  at = at + 1
  return ARGV[at]
end
local function pop_number() return tonumber(pop()) end
local function pop_key() return KEYS[tonumber(pop())] end

local revisions = {}
local function look_up(sequence, key, names)
  local last = redis.call("GET", sequence)
  local found, floor = {}, "none"
  if last then
    found = redis.call("HMGET", key, "=seq", "=floor", unpack(names))
    floor = found[2]
    if found[1] ~= last then found, floor = {}, RENEW(key, last) end
  end
  local own = {}
  for i = 1, #names do own[i] = found[i + 2] or floor end
  return own
end
for _ = 1, pop_number() do
  local sequence, key, names, numbers = pop_key(), pop_key(), {}, {}
  for i = 1, pop_number() do names[i], numbers[i] = pop(), pop_number() end
  local ok, own = pcall(look_up, sequence, key, names)
  for i, number in ipairs(numbers) do revisions[number] = ok and own[i] or "" end
end
local function is_current(coll, known) return known ~= "" and revisions[coll] == known end

-- Others wait while a script reads: what is beyond this many bytes is asked for again. One by one, because Redis takes ten times as
-- long to hand over one reply of fifteen megabytes to a script as a hundred that are as large together.
local room = 1048576
local function read(key, id)
  local value = redis.call("HGET", key, id)
  if value then room = room - #value end
  return value
end

local answer = {}
function answer.docs()
  local asked, all = {}, true
  for i = 1, pop_number() do
    asked[i] = {pop_key(), pop()}
    if not is_current(pop_number(), pop()) then all = false end
  end
  if all then return 1 end
  local found, bytes, most = {}, 0, tonumber(ARGV[3])
  if most then
    for _, place in ipairs(asked) do bytes = bytes + redis.call("HSTRLEN", place[1], place[2]) end
    if bytes > most then return found end
  end
  for i, place in ipairs(asked) do
    if room <= 0 then break end
    found[i] = read(place[1], place[2])
  end
  return found
end

function answer.page()
  local order, docs, lowest, highest, limit, is_index = pop_key(), pop_key(), pop(), pop(), pop_number(), pop()
  local listed = is_current(pop_number(), pop())
  if is_current(pop_number(), pop()) and listed then return 1 end
  local ids = redis.call("ZRANGEBYLEX", order, lowest, highest, "LIMIT", 0, limit + 1)
  local more = 0
  if #ids > limit then
    more = 1
    ids[#ids] = nil
  end
  if #ids == 0 then return {more, ids, ids} end
  local targets = ids
  if is_index == "1" then
    targets = {}
    for i, id in ipairs(ids) do targets[i] = string.match(id, "[^~]*$") end
  end
  local found = {}
  for i, id in ipairs(targets) do
    if room <= 0 then break end
    found[i] = read(docs, id)
  end
  return {more, ids, found}
end

function answer.take()
  local counter, limit, window, amount, times = pop_key(), pop_number(), pop_number(), pop_number(), pop_number()
  for _ = 1, pop_number() do
    local docs, id, version, coll, known = pop_key(), pop(), pop(), pop_number(), pop()
    if not is_current(coll, known) then
      local found = redis.call("HGET", docs, id)
      if (found and string.match(found, "^(%d+)\n") or "0") ~= version then return 0 end
    end
  end
  return take(counter, limit, window, clock(ARGV[2]), amount, times)
end

local replies = {revisions}
while at < #ARGV do
  local kind, length = pop(), pop_number()
  local stop = at + length
  local ok, reply = pcall(answer[kind])
  if not ok then
    -- Before Redis 7 it is a text that begins with a place in the script; so are the errors of Lua itself.
    local text = type(reply) == "table" and reply.err or string.gsub(tostring(reply), "^.-user_script: ?%d+: ", "")
    local code = string.match(text, "^(%u+) ")
    if code and code ~= "WRONGTYPE" and code ~= "ERR" then return {err = text} end
    reply = {err = code and text or "ERR " .. text}
  end
  replies[#replies + 1] = reply
  at = stop
end
return replies
`}`,
);

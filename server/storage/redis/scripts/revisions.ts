/**
 * Revisions: a text for each collection of a partition, another one after every change of its documents, so that a node knows
 * whether what it read before still holds. A text is never used again, also when Redis lost its last commits: it contains the
 * time. They count only with the sequence that they were written with: after a commit by an older release all are new.
 * Fields of the hash: a collection; "=seq", that sequence; "=floor", the revision of collections without a field.
 */
export const REVISIONS = String.raw`
local function REVISION(version)
  local time = redis.call("TIME")
  return string.format("%s.%x", version, tonumber(time[1]) * 1000000 + tonumber(time[2]))
end

-- Gives all collections of a partition a new revision.
local function RENEW(key, version)
  local floor = REVISION(version)
  redis.call("DEL", key)
  redis.call("HSET", key, "=seq", version, "=floor", floor)
  return floor
end

-- Gives these collections a new revision, with the commit that followed on "last".
local function REVISE(key, last, version, colls)
  local revision = REVISION(version)
  if not last or redis.call("HGET", key, "=seq") ~= last then
    redis.call("DEL", key)
    redis.call("HSET", key, "=floor", revision)
  end
  local fields = {"=seq", version}
  for _, coll in ipairs(colls) do
    fields[#fields + 1] = coll
    fields[#fields + 1] = revision
  end
  redis.call("HSET", key, unpack(fields))
end
`;

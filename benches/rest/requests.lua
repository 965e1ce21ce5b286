-- The requests of one run, by REQUEST; figures leave as one line of JSON.
-- All but one number of a request is written before the run: what the client does, the server can't do meanwhile.
local base = os.getenv("BASE")
local headers = { ["Content-Type"] = "application/json", ["Prefer"] = "return=representation" }
headers["apikey"] = os.getenv("API_KEY")
headers["Authorization"] = os.getenv("TOKEN") and "Bearer " .. os.getenv("TOKEN") or nil

local list = base .. "/places?select=*,offers(id,kind,price,seats),pictures(id,url,position)&order=featured.desc,created_at.desc&limit=20"
-- Of each: how it is written with "11111" where a number of five digits belongs.
local requests = {
  row = function() return wrk.format("GET", base .. "/places?select=*&slug=eq.place-11111", headers) end,
  list = function() return wrk.format("GET", list .. "&city=eq.Chennai", headers) end,
  ilike = function() return wrk.format("GET", list .. "&city=ilike.*chennai*", headers) end,
  insert = function()
    local body = '{"name":"Asha","email":"asha11111@example.test","message":"Six seats from May.","seats":6}'
    return wrk.format("POST", base .. "/enquiries?select=*", headers, body)
  end,
  rpc = function() return wrk.format("POST", base .. "/rpc/add", headers, '{"a":11111,"b":7}') end,
}

local before, after
function init()
  local whole = requests[os.getenv("REQUEST")]()
  local from, to = whole:find("11111", 1, true)
  before, after = whole:sub(1, (from or 1) - 1), whole:sub((to or 0) + 1)
  if not from then request = function() return whole end end
end

function request()
  return before .. math.random(10000, 50000) .. after
end

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end

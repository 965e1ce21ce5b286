-- The requests of one run, by REQUEST; figures leave as one line of JSON.
local base = os.getenv("BASE")
local headers = { ["Content-Type"] = "application/json", ["Prefer"] = "return=representation" }
headers["apikey"] = os.getenv("API_KEY")
headers["Authorization"] = os.getenv("TOKEN") and "Bearer " .. os.getenv("TOKEN") or nil

local list = base .. "/places?select=*,offers(id,kind,price,seats),pictures(id,url,position)&order=featured.desc,created_at.desc&limit=20"
local requests = {
  row = function() return wrk.format("GET", base .. "/places?select=*&slug=eq.place-" .. math.random(50000), headers) end,
  list = function() return wrk.format("GET", list .. "&city=eq.Chennai", headers) end,
  ilike = function() return wrk.format("GET", list .. "&city=ilike.*chennai*", headers) end,
  insert = function()
    local body = '{"name":"Asha","email":"asha' .. math.random(50000) .. '@example.test","message":"Six seats from May.","seats":6}'
    return wrk.format("POST", base .. "/enquiries?select=*", headers, body)
  end,
  rpc = function()
    return wrk.format("POST", base .. "/rpc/add", headers, '{"a":' .. math.random(1000) .. ',"b":' .. math.random(1000) .. '}')
  end,
}
request = requests[os.getenv("REQUEST")]

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end

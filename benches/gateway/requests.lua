-- The requests of one run, by REQUEST; figures leave as one line of JSON.
local headers = {
  ["apikey"] = os.getenv("API_KEY"),
  ["Accept"] = "application/json",
  ["X-Client-Info"] = "supabase-js-web/2.50.0",
  ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
}
local path = "/rest/v1/places?select=id,name,city&city=eq.Chennai&order=created_at.desc&limit=20"
local body = string.rep("x", 1024)

local compressed = { ["Accept-Encoding"] = "gzip" }
for name, value in pairs(headers) do compressed[name] = value end

local requests = {
  get = function() return wrk.format("GET", path, headers) end,
  post = function() return wrk.format("POST", "/rest/v1/places", headers, body) end,
  large = function() return wrk.format("GET", "/rest/v1/large", headers) end,
  compressed = function() return wrk.format("GET", "/rest/v1/list", compressed) end,
}
local text
-- Made once: formatting costs more than sending.
request = function()
  text = text or requests[os.getenv("REQUEST")]()
  return text
end

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('\n{"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end

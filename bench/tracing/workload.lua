-- A workload for the traced Lua interpreter: calls, tables, strings, closures, sorting.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words, seen = {}, {}
for i = 1, 150000 do words[i] = string.format("w%d", (i * 7919) % 10007) end
for _, w in ipairs(words) do seen[w] = (seen[w] or 0) + 1 end
table.sort(words)
local parts = {}
for i = 1, 2000 do parts[#parts + 1] = words[i]:upper():gsub("W", "x"):rep(2) end
local text = table.concat(parts, ",")
local digits = 0
for d in text:gmatch("%d+") do digits = digits + #d end
local sieve, primes = {}, 0
for i = 2, 600000 do
	if not sieve[i] then
		primes = primes + 1
		for k = i * i, 600000, i do sieve[k] = true end
	end
end
local sum = 0.0
for i = 1, 3000000 do sum = sum + (i % 7) * 0.5 - (i // 3) % 2 end
print(fib(30), #text, digits, primes, sum, seen.w42)

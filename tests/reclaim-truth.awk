# SPDX-License-Identifier: GPL-2.0-or-later
# Holds the intervals that tests/reclaim-watch printed against what trace-cmd recorded of the same
# time: awk -f reclaim-truth.awk WATCH REPORT, REPORT being `trace-cmd report -t -F ...` in order of time.
# Counts by itself, in another way than src/reclaim.c: it keeps all spans, and measures intervals
# against them at the end. Prints "ok ..." and totals, or what differs, with exit status 1.
# Times are kept in microseconds since the first interval, which awk's numbers hold to a nanosecond.

function micro(seconds, rest) {
	return (seconds - base) * 1000000 + rest / 1000
}

FNR == 1 { file++ }

file == 1 && NF == 8 {
	seconds = substr($1, 1, length($1) - 9)
	if (!cuts)
		base = seconds
	cuts++
	cut[cuts] = micro(seconds, substr($1, length($1) - 8))
	why[cuts] = $2; most[cuts] = $3; calls[cuts] = $4; time[cuts] = $5 / 1000
	longest[cuts] = $6 / 1000; lost[cuts] = $7; unmatched[cuts] = $8
}

# "hog-123 [000] 12.345678901: mm_vmscan_memcg_reclaim_begin: order=0 ..."
file == 2 && match($0, /-[0-9]+ +\[[0-9]+\]/) {
	task = substr($0, RSTART + 1, RLENGTH - 1); sub(/ .*/, "", task)
	rest = substr($0, RSTART + RLENGTH)
	if (!match(rest, /[0-9]+\.[0-9]+:/))
		next
	stamp = substr(rest, RSTART, RLENGTH - 1)
	rest = substr(rest, RSTART + RLENGTH)
	if (rest !~ /mm_vmscan_(direct|memcg|node)_reclaim_(begin|end)/)
		next
	split(stamp, part, ".")
	t = micro(part[1], part[2])
	if (rest ~ /_begin/) {
		if (depth[task]++ == 0)
			since[task] = t
	} else if (depth[task] > 0 && --depth[task] == 0) {
		spans++
		from[spans] = since[task]; to[spans] = t
	}
	stamps++
	at[stamps] = t
	step[stamps] = rest ~ /_begin/ ? (depth[task] == 1) : -(depth[task] == 0)
}

function differs(what, i, mine, theirs, part) {
	d = mine - theirs
	if (d < 0)
		d = -d
	if (d <= part * theirs + 1)
		return 0
	printf "interval %d (%.3f s to %.3f s): %s is %s, by trace-cmd %s\n", i, cut[i - 1] / 1e6,
		cut[i] / 1e6, what, mine, theirs
	return 1
}

END {
	first = at[1]; last = at[stamps]
	for (task in depth)
		if (depth[task] > 0) {
			spans++
			from[spans] = since[task]; to[spans] = 1e18
		}
	e = 1
	inside = 0
	for (i = 1; i <= cuts; i++) {
		peak = inside
		near = 0
		while (e <= stamps && at[e] <= cut[i]) {
			inside += step[e]
			if (inside > peak)
				peak = inside
			if (cut[i] - at[e] < 5 || (i > 1 && at[e] - cut[i - 1] < 5))
				near = 1
			e++
		}
		if (e <= stamps && at[e] - cut[i] < 5)
			near = 1
		their_most[i] = peak
		# Both record an event some 100 ns apart: one that near a cut may be on either side.
		unsure[i] = near
	}
	for (s = 1; s <= spans; s++)
		for (i = 2; i <= cuts; i++) {
			if (to[s] <= cut[i - 1] || from[s] >= cut[i])
				continue
			a = from[s] > cut[i - 1] ? from[s] : cut[i - 1]
			b = to[s] < cut[i] ? to[s] : cut[i]
			their_time[i] += b - a
			if (to[s] <= cut[i])
				their_calls[i]++
			if (b - from[s] > their_longest[i])
				their_longest[i] = b - from[s]
		}
	for (i = 2; i <= cuts; i++) {
		if (why[i] || why[i - 1] || lost[i]) {
			print "interval " i " has no figures: why " why[i] ", lost " lost[i]
			bad = 1
		}
		if (cut[i - 1] < first || cut[i] > last || unsure[i])
			continue
		whole++
		total += their_calls[i]
		if (their_most[i] > top)
			top = their_most[i]
		bad += differs("most at once", i, most[i], their_most[i] + 0, 0) ||
			most[i] != their_most[i] + 0
		bad += calls[i] - calls[i - 1] != their_calls[i] + 0
		if (calls[i] - calls[i - 1] != their_calls[i] + 0)
			print "interval " i ": calls " calls[i] - calls[i - 1] ", by trace-cmd " \
				their_calls[i] + 0
		bad += differs("time (us)", i, time[i] - time[i - 1], their_time[i] + 0, 0.01)
		bad += differs("longest (us)", i, longest[i], their_longest[i] + 0, 0.01)
	}
	if (whole < 2 || !total) {
		print "nothing to compare: " whole + 0 " whole intervals, " total + 0 " calls"
		bad = 1
	}
	if (!bad)
		printf "ok: %d whole intervals, %d calls, %d at once at most\n", whole, total, top
	exit bad != 0
}

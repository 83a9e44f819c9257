# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of vmtop-playback have in common. Sourced with $name set; makes $tmp.

top=${VMTOP_SRC:-$(cd "$(dirname "$0")/.." && pwd)}
build=${VMTOP_BUILD:-$top}
playback=$build/vmtop-playback
n=0 failed=0 started=

# On a disk, not on a tmpfs that /tmp may be.
tmp=$(mktemp -d "${TMPDIR:-/var/tmp}/$name-XXXXXX") || exit 1

# Everything that was started ends by its id, stopped or not.
end_started() {
	for one in $started; do
		kill -9 "$one" 2>/dev/null
		kill -CONT "$one" 2>/dev/null
	done
	# shellcheck disable=SC2086
	[ -z "$started" ] || wait $started 2>/dev/null
	started=
}

ok() { # STATUS NAME [FILE]: FILE's end is shown when it failed
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
		[ -z "$3" ] || grep -vE '^(level|second) ' "$3" | tail -40 | sed 's/^/# /'
	fi
}

skip() { # NAME WHY
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

finish() {
	echo "1..$n"
	exit $failed
}

until_true() { # SECONDS COMMAND...
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# start OUT ARGUMENTS...: runs it in the background with its controls on descriptor 8; its id in $pid.
start() {
	out=$1
	shift
	exec 8>&-
	rm -f "$tmp/controls"
	mkfifo "$tmp/controls" || exit 1
	: >"$out"
	"$playback" "$@" <"$tmp/controls" >"$out" 2>"$out.err" &
	pid=$!
	started="$started $pid"
	exec 8>"$tmp/controls"
	until_true 10 grep -q '^playback ' "$out"
}

say() { echo "$*" >&8; }

# Tells it to end; its exit status in $status.
stop() {
	say quit
	wait "$pid"
	status=$?
	exec 8>&-
}

said() { grep -qE "$2" "$1"; }				# FILE PATTERN
hear() { until_true "$1" said "$2" "$3"; }		# SECONDS FILE PATTERN
value() { sed -n "s/.* $1=\([^ ]*\).*/\1/p"; }		# KEY, of the lines on stdin

# underruns FILE SINK [CAUSE]: how many were told.
underruns() { grep -cE "^underrun .* sink=$2 .* cause=${3:-}" "$1"; }

# Of the last lines of this kind.
total() { grep -E "^total .* sink=$2 " "$1" | tail -1 | value "$3"; }	# FILE SINK KEY
second() { grep '^second ' "$1" | tail -1 | value "$2"; }		# FILE KEY
level() { grep -E "^level .* sink=$2 " "$1" | tail -1 | value "$3"; }	# FILE SINK KEY

# How often a second was told, so that one can wait for the next.
seconds() { grep -c '^second ' "$1"; }
more_seconds() { [ "$(seconds "$1")" -gt "$2" ]; }
next_second() { # FILE [N]: waits for the second after the one that runs, or N more
	until_true $((${2:-1} + 10)) more_seconds "$1" $(($(seconds "$1") + ${2:-1}))
}

# A sanitizer locks nothing, and takes memory of its own.
is_sanitized() { nm "$playback" 2>/dev/null | grep -q __asan_init; }

now_ms() { echo $(($(date +%s%N) / 1000000)); }
between() { awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x >= a && x <= b) }'; }

# hold_still PID SECONDS: stops a process so long; for how many ms it was in $held.
hold_still() {
	from=$(now_ms)
	kill -STOP "$1"
	sleep "$2"
	kill -CONT "$1"
	held=$(($(now_ms) - from))
}

readable() { "$build/tests/playback-read" <"$1"; }

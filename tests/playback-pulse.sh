# shellcheck shell=sh disable=SC2154,SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# The part of playback.test that is about sound servers: PulseAudio with null sinks, which nobody
# else uses. One is left in peace, and all that can happen to the other does meanwhile.


# Sets $no_pulse to why there is none, or gives it a home of its own.
pulse_prepare() {
	no_pulse=
	if ! command -v pulseaudio >/dev/null || ! command -v pactl >/dev/null; then
		no_pulse="no pulseaudio, or no pactl"
	elif "$playback" -d 0.1 </dev/null | grep -q 'why="built without libpulse"'; then
		no_pulse="built without libpulse"
	fi
	HOME=$tmp/home XDG_RUNTIME_DIR=$tmp/run XDG_CONFIG_HOME=$tmp/config
	mkdir -m 700 "$HOME" "$XDG_RUNTIME_DIR" "$XDG_CONFIG_HOME"
	export HOME XDG_RUNTIME_DIR XDG_CONFIG_HOME
	unset PULSE_SERVER PULSE_RUNTIME_PATH DISPLAY
}

serve() { # SOCKET: its id in $server
	rm -f "$1"
	pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no --log-target=stderr \
		-L "module-null-sink sink_name=null" \
		-L "module-native-protocol-unix socket=$1" >"$1.log" 2>&1 &
	server=$!
	started="$started $server"
	until_true 10 [ -S "$1" ]
}

pulsectl() { pactl --server "unix:$tmp/sock" "$@"; }

# --- The one left in peace ---

quiet_start() {
	if [ -n "$no_pulse" ]; then
		"$playback" -s clock -d 62 >"$tmp/peace" 2>&1 </dev/null &
	else
		serve "$tmp/quiet"
		"$playback" --server "unix:$tmp/quiet" -d 62 >"$tmp/peace" 2>&1 </dev/null &
	fi
	peace=$!
	started="$started $peace"
}

quiet_tests() {
	until_true 70 said "$tmp/peace" '^end '
	ok $? "the quiet minute ends" "$tmp/peace"
	all=0 sinks='clock-100 clock-200 clock-2000'
	[ -n "$no_pulse" ] || sinks="$sinks pulse"
	for sink in $sinks; do
		[ "$(total "$tmp/peace" "$sink" underruns)" = 0 ] || all=1
	done
	grep '^# clock-20:' "$tmp/peace"
	ok $all "a quiet minute has no underrun" "$tmp/peace"
	grep -qE '^# clock-200: .* underruns 0 in 62 s \(< 2.90/min\)' "$tmp/peace" && readable "$tmp/peace"
	ok $? "which proves no more than fewer than three" "$tmp/peace"
	[ -n "$no_pulse" ] && return
	between "$(total "$tmp/peace" pulse due_ms)" 55000 62000 && ! said "$tmp/peace" '^stall '
	ok $? "nor does the server stall" "$tmp/peace"
}

# --- Its figures ---

playing() { hear "$1" "$tmp/out" 'sink=pulse state=playing'; }
count() { underruns "$tmp/out" pulse "$1"; }
remember() { mark=$(grep -c '' "$tmp/out"); }
later() { sed "1,${mark}d" "$tmp/out" | grep -qE "$1"; }	# was said since `remember`

no_more() { # NAME: no underrun but those seen before
	now=$(count)
	[ "$now" = "$seen" ]
	ok $? "$1" "$tmp/out"
	seen=$now
}

pulse_absent() {
	"$playback" --server "unix:$tmp/none" -d 1.2 >"$tmp/out" 2>&1 </dev/null &&
		said "$tmp/out" '^sink .* sink=pulse state=absent .* why=' &&
		[ "$(level "$tmp/out" clock-200 state)" = playing ] && [ ! -e "$tmp/none" ] &&
		readable "$tmp/out"
	ok $? "no server is said, none is started, and the clocks play" "$tmp/out"
	start "$tmp/out" --sink pulse --server "unix:$tmp/sock" --tone
	hear 5 "$tmp/out" 'sink=pulse state=lost .* why='
	ok $? "who insists on a server is told that there is none" "$tmp/out"
	serve "$tmp/sock"
	abused=$server
	playing 10 && next_second "$tmp/out"
	ok $? "and hears of it when one has come" "$tmp/out"
}

pulse_stream() {
	volume=$(pulsectl get-sink-volume null)
	LC_ALL=C pulsectl list sink-inputs >"$tmp/inputs"
	grep -q 'media.name = "vmtop playback probe"' "$tmp/inputs" &&
		grep -q 'Volume:.*100%.*100%' "$tmp/inputs" && [ -n "$volume" ]
	ok $? "its stream has a name" "$tmp/inputs"
	between "$(level "$tmp/out" pulse fill_ms)" 50 400
	ok $? "it knows how full the server's buffer is" "$tmp/out"
	seen=$(count)
	[ "$seen" = 0 ]
	ok $? "start-up is no underrun" "$tmp/out"
}

pulse_stops() {
	hold_still "$pid" 0.5
	hear 5 "$tmp/out" '^underrun .* sink=pulse '
	gap=$(grep '^underrun .* sink=pulse ' "$tmp/out" | tail -1 | value gap_ms)
	echo "# stopped for $held ms it was silent for $gap ms"
	[ "$(count)" = 1 ] && [ "$(count stopped)" = 1 ] &&
		between "$gap" $((held - 210)) $((held - 90))
	ok $? "a stop of the probe is one underrun, of its own fault, as long as the silence" "$tmp/out"
	next_second "$tmp/out"
	hold_still "$abused" 0.7
	hear 5 "$tmp/out" '^stall '
	stood=$(grep '^stall ' "$tmp/out" | tail -1 | value stall_ms)
	echo "# the server was stopped for $held ms and stood still for $stood ms"
	between "$stood" $((held - 250)) $((held + 50)) && [ "$(count stopped)" = 1 ] &&
		[ "$(count)" = $((1 + $(count server))) ]
	ok $? "a stop of the server is a stall of its own" "$tmp/out"
	seen=$(count)
	next_second "$tmp/out"
}

pulse_pauses() {
	remember
	pulsectl suspend-sink null 1
	until_true 5 later 'sink=pulse state=suspended'
	suspended=$?
	next_second "$tmp/out"
	pulsectl suspend-sink null 0
	until_true 5 later 'sink=pulse state=playing' && [ $suspended = 0 ]
	ok $? "a sink that is suspended is said" "$tmp/out"
	next_second "$tmp/out"
	no_more "and is no underrun"
	say pause on
	hear 5 "$tmp/out" 'sink=pulse state=paused'
	next_second "$tmp/out"
	remember
	say pause off
	until_true 5 later 'sink=pulse state=playing'
	ok $? "it plays on after a pause" "$tmp/out"
	next_second "$tmp/out"
	no_more "which is no underrun"
	say buffer 100
	next_second "$tmp/out" 2
	between "$(level "$tmp/out" pulse fill_ms)" 10 150
	ok $? "its buffer can be made smaller" "$tmp/out"
	no_more "which is no underrun either"
}

pulse_restart() {
	remember
	kill -9 "$abused"
	wait "$abused" 2>/dev/null
	until_true 5 later 'sink=pulse state=lost'
	ok $? "a server that dies is said" "$tmp/out"
	serve "$tmp/sock"
	abused=$server
	until_true 15 later 'sink=pulse state=playing'
	ok $? "and asked again until it is back" "$tmp/out"
	next_second "$tmp/out"
	[ "$(level "$tmp/out" pulse underruns)" = "$seen" ]
	ok $? "the counts survive that" "$tmp/out"
	no_more "and it is no underrun"
	remember
	kill -STOP "$abused"
	until_true 10 later 'sink=pulse state=silent .* why='
	ok $? "a server that does not answer is said" "$tmp/out"
	kill -CONT "$abused"
	until_true 5 later '^stall '
	ok $? "and how long it stood still" "$tmp/out"
	next_second "$tmp/out"
	seen=$(count)
}

pulse_tests() {
	if [ -n "$no_pulse" ]; then
		skip "sound servers" "$no_pulse"
		return
	fi
	pulse_absent
	pulse_stream
	pulse_stops
	pulse_pauses
	pulse_restart
	[ "$(pulsectl get-sink-volume null)" = "$volume" ]
	ok $? "the volume is as it was"
	stop
	[ $status = 0 ] && [ "$(total "$tmp/out" pulse underruns)" = "$seen" ] && readable "$tmp/out"
	ok $? "the end, which drains the server, is no underrun" "$tmp/out"
}

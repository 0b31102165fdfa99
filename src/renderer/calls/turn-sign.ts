import type { StoreApi } from 'zustand/vanilla';
import type { CaptionsView } from '#renderer/captions/caption-view.ts';
import type { Leg, Legs } from '#renderer/conversation/legs.ts';
import {
	type BeaconEvent,
	type BeaconSign,
	beaconDueMs,
	noBeacon,
	type Said,
	stepBeacon,
} from '#shared/calls/turn-sign.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** Only the newest rows are watched; older rows no longer wait for a translation. */
const ROWS_WATCHED = 8;

/** For each direction: whether its voice is still speaking, or has just ended. */
export type TurnBeacon = StoreApi<{ readonly [Name in LegName]: BeaconSign }>;

/** Follows both directions as long as the window is open; decides nothing. */
export function followTurns({
	legs,
	beacon,
	clock,
	applies,
}: {
	readonly legs: Pick<Legs, LegName>;
	/** Where the signs are published. */
	readonly beacon: TurnBeacon;
	readonly clock: Clock;
	/** Whether turns are shown at all now: only in a meeting. */
	readonly applies: () => boolean;
}): void {
	for (const name of legNames)
		follow(legs[name], clock, applies, (sign) => {
			if (beacon.getState()[name] !== sign) beacon.setState({ [name]: sign });
		});
}

function follow(
	{ conversation, voice }: Leg,
	clock: Clock,
	applies: () => boolean,
	show: (sign: BeaconSign) => void,
): void {
	let state = noBeacon;
	let cancel: Cancel = () => {};

	function take(event: BeaconEvent): void {
		state = stepBeacon(state, event, clock.now());
		show(state.sign);
		cancel();
		const dueMs = beaconDueMs(state);
		cancel =
			dueMs === null ? () => {} : clock.after(Math.max(0, dueMs - clock.now()), () => take({ type: 'tick' }));
	}

	function look(): void {
		const { phase, paused, voiceActive } = conversation.store.getState();
		// A muted voice needs no sign: the others do not wait for it.
		const live = applies() && phase === 'live' && !paused && !voice.getState().muted;
		if (voiceActive !== state.voice) take({ type: 'voice', active: voiceActive });
		if (live === state.live) return;
		take({ type: 'live', live });
		hear();
	}

	function hear(): void {
		if (state.live) take({ type: 'said', ...saidIn(conversation.captions) });
	}

	conversation.store.subscribe(look);
	voice.subscribe(look);
	conversation.captions.store.subscribe(hear);
	look();
}

/** Typed texts do not count: they were not spoken here. */
function saidIn(captions: CaptionsView): Said {
	const { rows } = captions.store.getState();
	let open: string | null = null;
	let awaited: string | null = null;
	let translated: string | null = null;
	for (let index = Math.max(0, rows - ROWS_WATCHED); index < rows; index++) {
		const row = captions.row(index);
		if (row && isTranslated(row)) translated = row.transcriptionId;
		if (!row?.source || row.typed || row.source.cutOff) continue;
		if (!row.source.final) open = `${row.source.key} ${row.source.text}`;
		else if (!isTranslated(row)) awaited = row.transcriptionId;
	}
	return { open, awaited, translated };
}

function isTranslated({ translations }: CaptionRow): boolean {
	return translations.some(({ final, cutOff }) => final || cutOff);
}

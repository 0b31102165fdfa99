import type { StoreApi } from 'zustand/vanilla';
import type { SpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';

/** How long a voice is kept. */
const KEPT_MS = 115_000;

/** When the voice of a row was heard, ms on our clock. */
export interface HeardRow {
	readonly row: string;
	readonly leg: LegName;
	readonly startMs: number;
	/** Infinity while it is heard. */
	readonly endMs: number;
}

export interface VoiceTimes {
	/** Rows that can still be replayed, oldest first. */
	now(): readonly HeardRow[];
	/** Another conversation begins: none of those of the last one can be replayed. */
	forget(): void;
}

/** Records when each row of each direction was lit; `rows` gets their ids. */
export function createVoiceTimes(
	spoken: SpokenRows['store'],
	clock: Clock,
	rows: StoreApi<ReadonlySet<string>>,
): VoiceTimes {
	const sides = ['outgoing', 'incoming'] as const;
	let heard: readonly HeardRow[] = [];
	let before: readonly (string | null)[] = [];
	let cancel: Cancel = () => {};

	function now(): readonly HeardRow[] {
		return heard.filter(({ endMs }) => endMs > clock.now() - KEPT_MS);
	}

	function begun(leg: LegName, row: string): void {
		const last = heard.findLast((one) => one.leg === leg);
		// It goes on after a pause within it.
		if (last?.row === row)
			heard = heard.map((one) => (one === last ? { ...one, endMs: Number.POSITIVE_INFINITY } : one));
		else heard = [...heard, { row, leg, startMs: clock.now(), endMs: Number.POSITIVE_INFINITY }];
	}

	function ended(leg: LegName, row: string): void {
		heard = heard.map((one) =>
			one.leg === leg && one.row === row && one.endMs === Number.POSITIVE_INFINITY
				? { ...one, endMs: clock.now() }
				: one,
		);
	}

	/** Rows go when their voice is no longer kept, whether or not another voice follows. */
	function show(): void {
		heard = now();
		const ids = new Set(heard.map(({ row }) => row));
		if ([...ids].join('\n') !== [...rows.getState()].join('\n')) rows.setState(ids, true);
		cancel();
		const nextMs = Math.min(...heard.map(({ endMs }) => endMs)) + KEPT_MS;
		cancel = nextMs === Number.POSITIVE_INFINITY ? () => {} : clock.after(nextMs - clock.now(), show);
	}

	spoken.subscribe(({ sides: lit }) => {
		for (const [index, leg] of sides.entries()) {
			const [was, is] = [before[index] ?? null, lit[index] ?? null];
			if (was === is) continue;
			if (was !== null) ended(leg, was);
			if (is !== null) begun(leg, is);
		}
		before = lit;
		show();
	});
	return {
		now,
		forget() {
			heard = [];
			show();
		},
	};
}

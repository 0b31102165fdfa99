import { createStore } from 'zustand/vanilla';
import type { CaptionsView } from '#renderer/conversation/conversation.ts';
import { compareInTime } from '#shared/captions/entry.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';

/** The captions of both legs as one: rows in the order in which they appeared, constant cost per message. */
export interface MergedCaptions extends CaptionsView {
	/** Only these are shown: the others belong to an earlier conversation. */
	show(legs: readonly LegName[]): void;
	/** Keeps what is shown now until `release`, or until something new is said: a failed Start removes nothing. */
	hold(): void;
	/** Shows the legs' captions from now on, even if nothing was said yet. */
	release(): void;
}

/** What was shown when it was held. */
interface Held {
	readonly rows: readonly (CaptionRow | undefined)[];
	readonly finals: readonly Segment[];
	readonly sided: boolean;
}

interface Place {
	readonly leg: LegName;
	readonly index: number;
}

export function createMergedCaptions(legs: { readonly [Name in LegName]: CaptionsView }): MergedCaptions {
	const store = createStore(() => ({ version: 0, rows: 0, sided: false, held: false }));
	const known: { [Name in LegName]: number } = { outgoing: 0, incoming: 0 };
	let shown: readonly LegName[] = [];
	let order: Place[] = [];
	let held: Held | null = null;

	function changed(): void {
		store.setState({
			version: store.getState().version + 1,
			rows: (held?.rows ?? order).length,
			sided: held?.sided ?? shown.length > 1,
			held: held !== null,
		});
	}

	function row(index: number): CaptionRow | undefined {
		if (held) return held.rows[index];
		const place = order[index];
		return place && legs[place.leg].row(place.index);
	}

	function finals(): readonly Segment[] {
		if (held) return held.finals;
		const all = shown.map((leg) => legs[leg].finals());
		// Each is in order already.
		return all.length === 1 ? (all[0] ?? []) : all.flat().sort(compareInTime);
	}

	function release(): void {
		if (!held) return;
		held = null;
		changed();
	}

	function follow(leg: LegName): void {
		const { rows } = legs[leg].store.getState();
		if (!shown.includes(leg)) return;
		// Fewer than before: the leg began anew.
		if (rows < known[leg]) forget(leg);
		for (let index = known[leg]; index < rows; index++) order.push({ leg, index });
		known[leg] = rows;
		changed();
	}

	function forget(leg: LegName): void {
		order = order.filter((place) => place.leg !== leg);
		known[leg] = 0;
	}

	for (const leg of legNames) {
		legs[leg].store.subscribe(({ rows }) => {
			if (rows > 0 && shown.includes(leg)) held = null;
			follow(leg);
		});
	}

	return {
		store,
		row,
		finals,
		clear() {
			release();
			for (const leg of shown) legs[leg].clear();
		},
		show(next) {
			shown = next;
			for (const leg of legNames) if (!next.includes(leg)) forget(leg);
			for (const leg of next) follow(leg);
			changed();
		},
		hold() {
			if (held || order.length === 0) return;
			held = { rows: order.map((_, index) => row(index)), finals: finals(), sided: shown.length > 1 };
		},
		release,
	};
}
